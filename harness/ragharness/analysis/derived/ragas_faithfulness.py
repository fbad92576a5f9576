"""The share of an answer's claims that the passages they cite support."""

from ragharness.analysis.derived import Derived

METRIC = Derived(
    label="RAGAS faithfulness",
    formula="supported claims / claims",
    source="Es et al. 2024, RAGAS, arXiv 2309.15217",
    remark="A claim is a sentence, and support is looked for in what it cites, not in all passages: a claim"
    " without a citation counts as unsupported. Answers without a claim are left out.",
    of=lambda item, _: (
        sum(any(sentence.alone) for sentence in item.sentences) / len(item.sentences)
        if item.sentences
        else None
    ),
)
