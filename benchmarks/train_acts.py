"""Make ``acts.json``: what a clause does and whether an answer declines; print how unseen clauses fare.

    pip install scikit-learn
    python benchmarks/train_acts.py ../shared/data/human-labels/evouna/answers.jsonl

``acts.tsv`` holds clauses of the project's own words by what they do ("#" and a digest: one of EVOUNA's); the
other clauses of its answers that decline nothing, and those of answers that people call correct, are
statements. Whether an answer declines is learnt from the cases, ``declines.jsonl`` and EVOUNA, without the
unseen quarter of questions. The figures printed are of weights that did not see the quarter of the clauses
that they are on.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from bench import HERE, digest, is_unseen, json_lines, parser
from ragharness.analysis.labelled import labelled_answer, read_labelled
from ragharness.graders.reading import acts, refusal
from ragharness.graders.reading.answer import own_sentences, parse_answer
from ragharness.graders.reading.records import profile_of
from ragharness.graders.verdicts import load_cases
from ragharness.language.words import clauses, sentences
from ragharness.records import Answer, Passage, Question

SOURCE = "the project's own answers, and EVOUNA (Wang et al. 2023, arXiv:2305.12421, Apache-2.0)"
CASES = HERE.parent / "tests" / "cases"
HEADS = {"decline": ("unable", "silent"), "unable": ("unable",)} | {act: (act,) for act in acts.LEARNT}
WRITTEN = 3.0  # weight of a clause of acts.tsv, against any other
LONG = 3.0  # weight of an answer of declines.jsonl, against one of the cases
LEAST = 3  # texts in which a feature must stand
OF_PEOPLE = 3  # one in so many of the answers that people call correct is enough
CLAUSE_C, ANSWER_C = 3.0, 0.5  # how little the weights are held back
SMALLEST = 0.02  # a lesser weight is left out


class Clause(NamedTuple):
    """A clause, what it does, and how much it counts."""

    text: str
    act: str
    weight: float
    ours: bool = True


class Labelled(NamedTuple):
    """An answer, whether it declines, and how much it counts."""

    question: Question
    answer: Answer
    declines: bool
    weight: float = 1.0
    passages: tuple[Passage, ...] = ()


def clauses_of(text: str) -> Iterator[str]:
    for start, end in sentences(text):
        sentence = text[start:end]
        yield from (sentence[low:high] for low, high in clauses(sentence))


def key(text: str) -> str:
    return f"#{digest(text)[:10]}"


def labelled_clauses(people: Path) -> list[Clause]:
    """Clauses of all sources, each once."""
    texts = {text: Clause(text, act, WRITTEN) for act, text in written()}
    # What an answer that declines says beside what is labelled may be anything.
    for answer in (answer for answer in our_answers() if not answer.declines):
        for text in clauses_of(answer.answer.text):
            texts.setdefault(text, Clause(text, "statement", 1.0))
    rows = [row for row in read_labelled(people) if not is_unseen(row.question.text)]
    for row in [row for row in rows if row.label == "correct"][::OF_PEOPLE]:
        for text in clauses_of(row.answer.text):
            texts.setdefault(text, Clause(text, "statement", 1.0, ours=False))
    for text in (text for row in rows for text in clauses_of(row.answer.text)):
        if (labelled := texts.get(key(text))) is not None:
            texts[text] = Clause(text, labelled.act, 1.0, ours=False)
    return [clause for clause in texts.values() if clause.text[0] != "#"]


def written() -> list[tuple[str, str]]:
    lines = (HERE / "acts.tsv").read_text("utf-8").splitlines()
    return [(act, text) for act, _, text in (line.partition("\t") for line in lines)]


def our_answers() -> Iterator[Labelled]:
    """Answers of the project."""
    for path in sorted(CASES.glob("*.json")):
        for case in load_cases(path):
            bucket, reason = case.expected.get("bucket"), case.expected.get("reason")
            if bucket and reason not in ("CLARIFICATION", "PREMISE_CORRECTED"):
                declines = bucket == "refused"
                yield Labelled(case.question, case.answer, declines, passages=tuple(case.retrieved))
    for path in sorted(CASES.glob("*.jsonl")):
        for row in read_labelled(path):
            if not is_unseen(row.question.text):
                yield Labelled(row.question, row.answer, row.label == "refusal")
    for row in json_lines(HERE / "declines.jsonl"):
        typed = labelled_answer(row | {"answers": ["-"], "label": "correct"})
        yield Labelled(typed.question, typed.answer, row["declines"], LONG)


def people_answers(path: Path) -> Iterator[Labelled]:
    """Answers that people call correct, and wrong ones that begin by declining."""
    unable = {text for act, text in written() if act == "unable"}
    rows = [
        row for row in read_labelled(path) if not is_unseen(row.question.text) and row.answer.text.strip()
    ]
    for row in [row for row in rows if row.label == "correct"][::OF_PEOPLE]:
        yield Labelled(row.question, row.answer, declines=False, weight=0.5)
    for row in rows:
        start, end = sentences(row.answer.text)[0]
        if row.label != "correct" and not unable.isdisjoint(map(key, clauses_of(row.answer.text[start:end]))):
            yield Labelled(row.question, row.answer, declines=True)


def fit_clauses(texts: Sequence[Clause]) -> acts.Weights:
    """Weights of each act of a clause."""
    rows = [acts.features(text.text) for text in texts]
    counts = Counter(feature for row in rows for feature in row)
    names = sorted(feature for feature, count in counts.items() if count >= LEAST)
    features = matrix(rows, {name: column for column, name in enumerate(names)})
    ours, weight = np.array([text.ours for text in texts]), np.array([text.weight for text in texts])
    fitted = acts.Weights(SOURCE, {}, {}, {}, 0.0)
    for act, labels in HEADS.items():
        # Whether people's answers speak in general was not labelled.
        usable = ours if act == "background" else np.ones_like(ours)
        does = np.array([text.act in labels for text in texts])
        model = LogisticRegression(C=CLAUSE_C, penalty="l1", solver="liblinear", random_state=0)
        model.fit(features[usable], does[usable], weight[usable])
        fitted.intercepts[act] = round(float(model.intercept_[0]), 2)
        pairs = zip(names, model.coef_[0].tolist(), strict=True)
        fitted.weights[act] = {name: round(value, 2) for name, value in pairs if abs(value) >= SMALLEST}
    return fitted


def matrix(rows: Sequence[set[str]], columns: Mapping[str, int]) -> Any:
    indices = [sorted(columns[feature] for feature in row if feature in columns) for row in rows]
    flat = [column for row in indices for column in row]
    ends = np.cumsum([0, *map(len, indices)])
    return csr_matrix((np.ones(len(flat)), flat, ends), shape=(len(rows), len(columns)))


def fit_answers(answers: Sequence[Labelled]) -> tuple[dict[str, float], float]:
    """Weights of the measures of an answer, and their intercept."""
    measured = [(answer, measures(answer)) for answer in answers]
    told = [(answer, values) for answer, values in measured if values]
    names = sorted({name for _, values in told for name in values})
    values = np.array([[values.get(name, 0.0) for name in names] for _, values in told])
    spread = values.std(0) + 1e-9
    model = LogisticRegression(C=ANSWER_C, max_iter=3000)
    model.fit(values / spread, [answer.declines for answer, _ in told], [answer.weight for answer, _ in told])
    pairs = zip(names, (model.coef_[0] / spread).tolist(), strict=True)
    return {name: round(weight, 3) for name, weight in pairs}, round(float(model.intercept_[0]), 3)


def measures(labelled: Labelled) -> Mapping[str, float]:
    """Measures of an answer; none of one that surely declines nothing."""
    question = labelled.question
    parsed = parse_answer(labelled.answer, question.text, labelled.passages)
    own = own_sentences(parsed.sentences, labelled.passages)
    said = refusal.read_clauses([part.text for part in own], question, profile_of(question))
    if not refusal.may_decline(said):
        return {}
    return refusal.refusal_measures(said, question.kind, cited=any(part.citations for part in own))


def use(weights: acts.Weights, path: Path) -> None:
    """Write weights to a file and read clauses by them from now on."""
    path.write_bytes(msgspec.json.encode(weights) + b"\n")
    acts.WEIGHTS = path
    for module in (acts, refusal):
        for function in vars(module).values():
            getattr(function, "cache_clear", lambda: None)()


def show(act: str, texts: Sequence[Clause]) -> None:
    """Print the recall and precision of an act."""
    called = [text for text in texts if acts.act_scores(text.text)[act] > 0]
    right = [text for text in called if text.act in HEADS[act]]
    wanted = [text for text in texts if text.act in HEADS[act]]
    print(f"{act}: recall {len(right)} of {len(wanted)}, precision {len(right)} of {len(called)}")


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("people", type=Path, help="EVOUNA's answers")
    people = arguments.parse_args().people
    committed = acts.WEIGHTS
    with tempfile.TemporaryDirectory() as folder:
        trial = Path(folder) / "acts.json"
        texts = labelled_clauses(people)
        use(fit_clauses([text for text in texts if not is_unseen(text.text)]), trial)
        for act in HEADS:
            show(act, [text for text in texts if is_unseen(text.text)])
        weights = fit_clauses(texts)
        use(weights, trial)
        fitted, intercept = fit_answers([*our_answers(), *people_answers(people)])
        use(msgspec.structs.replace(weights, refusal=fitted, refusal_intercept=intercept), committed)
    print(f"{committed.stat().st_size} bytes")


if __name__ == "__main__":
    main()
