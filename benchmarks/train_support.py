"""Make ``support.json`` of the scorer of support, and print its rates on what the training had not seen.

    pip install scikit-learn
    python benchmarks/train_support.py ../shared/data/human-labels contractnli=FOLDER edgar=FOLDER

Labels are those of people (AttributionBench, Apache-2.0; WiCE, annotations ODC-BY) and edits of sentences of
the public corpora (``support_edits.py``). A quarter of the questions, articles and documents is never learnt
from. The threshold of *yes* comes from four folds of the rest.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from bench import fold_of, is_unseen, parser
from people import attribution, wice
from ragharness.corpus.loading import load_corpus
from ragharness.graders.reading import support
from ragharness.graders.reading.measures import Tree
from ragharness.records import Passage
from support_edits import edits

SOURCE = (
    "AttributionBench (Li et al. 2024, arXiv:2402.15089, Apache-2.0) and WiCE (Kamoi et al. 2023, "
    "arXiv:2303.01432, annotations ODC-BY 1.0), labels by people; edits of the public corpora"
)
FALSE_YES = 0.125  # share of AttributionBench's unsupported claims that are called supported
UNDETERMINED = 0.32  # share of its claims that is left open
TREES, DEPTH = 90, 3
COMMON = 1500  # concepts with a rarity of their own
WEIGHTS = {
    "attributable": 14,
    "not attributable": 14,
    "supported": 50,
    "partially_supported": 2,
    "not_supported": 2,
    "edit: first value": 0.4,
    "edit: other value": 0.4,
}
EDITS = {True: 700, False: 500}  # weight of all edits of another kind
RISING = {"recall", "joined", "aligned", "bigrams"}
FREE = {"sourced", "precision", "sentences", "length", "figures", "denied"}


class Row(NamedTuple):
    """A claim, passages and whether they state it."""

    kind: str
    claim: str
    passages: Sequence[Passage]
    stated: bool
    group: str


def rows(folder: Path, corpora: Sequence[str]) -> Iterator[Row]:
    """Labelled claims and edits."""
    for claims, name in ((attribution, "attributionbench"), (wice, "wice")):
        for question, claim, texts, label in claims(folder / name):
            group = question if name == "attributionbench" else claim
            passages = [Passage(f"p{n}", "d", "", 0, len(text), text) for n, text in enumerate(texts, 1)]
            yield Row(label, claim, passages, label in ("attributable", "supported"), group)
    loaded = [load_corpus("sample")]
    loaded += [
        load_corpus(name, source=source) for name, _, source in (text.partition("=") for text in corpora)
    ]
    for corpus in loaded:
        for edit in edits([corpus], most=12 if len(corpus.documents) > 30 else 40):
            yield Row(f"edit: {edit.kind}", edit.claim, [edit.passage], edit.supported, edit.document)


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("labels", type=Path)
    arguments.add_argument("corpora", nargs="*")
    options = arguments.parse_args()
    listed = list(rows(options.labels, options.corpora))
    unseen = np.array([is_unseen(row.group) for row in listed])
    empty = support.Weights(SOURCE, 1, 0, 0, (), {}, ())
    use(empty)
    common = rarity([row for row in listed if not is_unseen(row.group)])
    empty = msgspec.structs.replace(empty, rarity=common)
    use(empty)
    measured = [support.measures(support.read_line(row.claim), row.passages) for row in listed]
    names = tuple(measured[0])
    table = np.array([[values[name] for name in names] for values in measured])
    stated = np.array([row.stated for row in listed])
    counts = Counter(row.kind for row in listed)
    weights = np.array([WEIGHTS.get(row.kind) or EDITS[row.stated] / counts[row.kind] for row in listed])
    folds = np.array([fold_of(row.group, 4) for row in listed])
    held_out = np.zeros(len(listed))
    for fold in range(4):
        seen, kept = ~unseen & (folds != fold), ~unseen & (folds == fold)
        held_out[kept] = fit(names, table[seen], stated[seen], weights[seen]).predict_proba(table[kept])[:, 1]
    model = fit(names, table[~unseen], stated[~unseen], weights[~unseen])
    kinds = np.array([row.kind for row in listed])
    of_people = np.isin(kinds, ("attributable", "not attributable")) & ~unseen
    high = float(np.quantile(held_out[of_people & ~stated], 1 - FALSE_YES))
    decided = (held_out[of_people] >= high).mean()
    low = float(np.quantile(held_out[of_people], 1 - UNDETERMINED - decided))
    learnt = msgspec.structs.replace(
        empty,
        yes_from=round(high, 4),
        no_up_to=round(low, 4),
        base=round(float(model._baseline_prediction.item()), 5),  # noqa: SLF001 - there is no other way to it
        measures=names,
        trees=tuple(whole(predictors[0].nodes) for predictors in model._predictors),  # noqa: SLF001
    )
    write(learnt)
    use(learnt)
    print(f"{len(names)} measures, {len(learnt.trees)} trees, yes from {high:.3f}, no up to {low:.3f}")
    report(listed, unseen)


def use(weights: support.Weights) -> None:
    """Let the scorer read these weights."""
    for cached in (support.read_line, support.lines_of):
        cached.cache_clear()
    support.weights = lambda: weights  # type: ignore[assignment]


def rarity(listed: Sequence[Row]) -> dict[str, float]:
    """How telling the commonest concepts are: the logarithm of the share of passages that lack them."""
    texts = {passage.text for row in listed for passage in row.passages}
    counts = Counter[str]()
    for text in texts:
        counts.update({name for line in support.lines_of(text[:4000]) for name in line.concepts})
    common = counts.most_common(COMMON)
    least = math.log(len(texts) / common[-1][1])
    return {name: round(max(0.15, math.log(len(texts) / count) / least), 2) for name, count in sorted(common)}


def fit(names: Sequence[str], table: Any, stated: Any, weights: Any) -> HistGradientBoostingClassifier:
    signs = [0 if name in FREE else 1 if name in RISING else -1 for name in names]
    model = HistGradientBoostingClassifier(
        max_iter=TREES,
        max_depth=DEPTH,
        max_leaf_nodes=2**DEPTH,
        min_samples_leaf=40,
        learning_rate=0.11,
        l2_regularization=1,
        max_bins=64,
        monotonic_cst=signs,
        early_stopping=False,
        random_state=0,
    )
    return model.fit(table, stated, sample_weight=weights)


def whole(nodes: Any) -> Tree:
    """Tree with all nodes of its depth: below an early leaf each node leads to that leaf's value."""
    listed, row = [], [0]
    for _ in range(DEPTH):
        listed += row
        row = [
            int(child)
            for node in row
            for child in (
                (node, node) if nodes[node]["is_leaf"] else (nodes[node]["left"], nodes[node]["right"])
            )
        ]
    return Tree(
        tuple(0 if nodes[node]["is_leaf"] else int(nodes[node]["feature_idx"]) for node in listed),
        tuple(
            0.0 if nodes[node]["is_leaf"] else round(float(nodes[node]["num_threshold"]), 5)
            for node in listed
        ),
        tuple(round(float(nodes[leaf]["value"]), 5) for leaf in row),
    )


def write(weights: support.Weights) -> None:
    path = Path(support.__file__).with_name("support.json")
    fields = {**msgspec.to_builtins(weights), "trees": None}
    text = json.dumps({**fields, "rarity": None}, indent=1).removesuffix("\n}")
    trees = ",\n".join(json.dumps(msgspec.to_builtins(tree)) for tree in weights.trees)
    text = text.replace('"rarity": null', f'"rarity": {json.dumps(weights.rarity)}')
    path.write_text(text.replace('"trees": null', f'"trees": [\n{trees}\n ]') + "\n}\n", encoding="utf-8")


def report(listed: Sequence[Row], unseen: Any) -> None:
    """Print what is called supported and undetermined, of what was learnt from and of what was not."""
    counts = Counter[tuple[str, bool, bool | None]]()
    for row, apart in zip(listed, unseen, strict=True):
        counts[row.kind, bool(apart), support.support(row.claim, tuple(row.passages)).verdict] += 1
    for kind in dict.fromkeys(row.kind for row in listed):
        line = f"{kind:22}"
        for apart in (False, True):
            n = sum(counts[kind, apart, verdict] for verdict in (True, False, None)) or 1
            line += f"  {'unseen' if apart else 'seen':6} {n:5}: yes {counts[kind, apart, True] / n:.3f}"
            line += f" open {counts[kind, apart, None] / n:.3f}"
        print(line)


if __name__ == "__main__":
    main()
