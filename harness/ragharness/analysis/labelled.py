"""Labelled answers of any system, from JSON Lines or CSV, and how a grader fares on them.

People label an answer *correct*, *incorrect* or a *refusal*, or give it a bucket, and axes where they like.
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast, get_args

from msgspec import Struct
from msgspec.structs import replace

from ragharness.analysis.metrics import Share, share
from ragharness.corpus.folders.text import decode
from ragharness.errors import UnknownName, UsageError
from ragharness.graders import Grader, waits
from ragharness.graders.verdicts import decide, grade
from ragharness.pipelines.adapters.fields import passage_of
from ragharness.questions.values import typed, undecidable
from ragharness.records import BUCKETS, Answer, Bucket, Citations, Passage, Question, Verdict
from ragharness.support.concurrency import map_in_order

Label = Literal["correct", "incorrect", "refusal"]  # what people say of an answer
LABELS: tuple[str, ...] = get_args(Label)
AXES = ("citation_exists", "citation_supports", "refusal_quality", "extra_claim_count")
_LABEL_OF: dict[Bucket, Label] = {
    "correct": "correct", "wrong": "incorrect", "unsupported": "incorrect", "refused": "refusal",
}  # fmt: skip
_NAMED = 5  # bad lines that are named; the rest is counted
_HELP = "docs/calibration.md shows the columns, and --map for files that name them otherwise"
_NEEDED = ("question", "answers", "answer")
Row = dict[str, Any]


class Labelled(Struct, frozen=True):
    """One answer with what people say of it."""

    question: Question
    answer: Answer
    label: Label
    golds: tuple[str, ...]  # as written, before they were read by kind
    shape: str  # the kind of gold; ``sentence`` for texts that the rules cannot decide
    passages: tuple[Passage, ...] = ()
    supporting: frozenset[str] = frozenset()  # ids of the passages that hold the evidence
    judged_alone: bool = True  # no passages were given: the answer is judged, and its support taken as given
    bucket: Bucket | None = None  # None: people gave a label only
    axes: dict[str, str] = {}  # axis -> value, as text, of those that people labelled


def read_labelled(path: Path, mapping: Mapping | None = None) -> list[Labelled]:
    """Labelled answers of a file in order; raises UsageError with the bad lines' numbers."""
    mapping = mapping or Mapping.parse()
    try:
        text = decode(path.read_bytes())[0]
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"expected labelled answers in {path}, found: {why}", help=_HELP) from error
    as_csv = path.suffix.lower() in {".csv", ".tsv"}
    answers: list[Labelled] = []
    problems: list[str] = []
    for number, row in _csv_rows(text, path) if as_csv else _json_rows(text, path):
        if isinstance(row, str):
            problems.append(f"line {number}: {row}")
            continue
        try:
            answers.append(labelled_answer(row, number, mapping))
        except ValueError as error:
            problems.append(f"line {number}: {error}")
    if problems:
        more = f"; and {len(problems) - _NAMED} more" if len(problems) > _NAMED else ""
        raise UsageError(f"{path}: {'; '.join(problems[:_NAMED])}{more}", help=_HELP)
    if not answers:
        raise UsageError(f"expected labelled answers in {path}, found none", help=_HELP)
    return answers


def _json_rows(text: str, path: Path) -> Iterator[tuple[int, Row | str]]:
    if text.lstrip()[:1] == "[":
        message = f"expected one JSON object a line in {path}, found a JSON array"
        raise UsageError(message, help=f"jq -c '.[]' {path} > answers.jsonl")
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                row = None
            yield number, row if isinstance(row, dict) else f"expected a JSON object, found {line[:60]!r}"


def _csv_rows(text: str, path: Path) -> Iterator[tuple[int, Row | str]]:
    head = text.partition("\n")[0]
    delimiter = "\t" if path.suffix.lower() == ".tsv" else max(",;\t|", key=head.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    begin = 1
    try:
        names = [name.strip() for name in next(reader, [])]
        begin = reader.line_num + 1
        for cells in reader:
            if any(map(str.strip, cells)):
                row: Row | str = dict(zip(names, cells, strict=False))
                if any(map(str.strip, cells[len(names) :])):
                    row = f"expected {len(names)} columns, found {len(cells)}"
                yield begin, row
            begin = reader.line_num + 1
    except csv.Error as error:
        yield begin, f"expected a row of {path.suffix[1:].upper()}, found: {error}"


def labelled_answer(row: Row, number: int = 1, mapping: Mapping | None = None) -> Labelled:
    """Labelled answer of one row; raises ValueError with what is wrong."""
    mapping = mapping or Mapping.parse()
    values = {name: row[theirs] for name, theirs in mapping.columns.items() if theirs in row}
    if mapping.columns["answers"] == NONE:
        values["answers"] = []
    for name in (*_NEEDED, *(["label"] if "bucket" not in values else [])):
        if name not in values:
            theirs = mapping.columns[name]
            raise ValueError(f"expected a field {theirs!r}, found {', '.join(map(str, row))[:120] or 'none'}")
    bucket = _bucket(values.get("bucket"))
    if bucket is None or word_of(values.get("label")):
        label = cast("Label", mapping.label(values.get("label")))
    else:
        label = _LABEL_OF[bucket]
    golds = _texts(values["answers"], "answers", mapping.separator)
    question = _question(values, number, golds)
    passages = _passages(values.get("passages"))
    citations = values.get("citations")
    cited = None if citations is None else _texts(citations, "citations", mapping.separator)
    evidence = values.get("evidence")
    holding = frozenset(passage.id for passage, holds_evidence in passages if holds_evidence)
    if evidence is not None:
        holding = frozenset(_texts(evidence, "evidence", mapping.separator))
    axes = {name: word_of(values[name]).lower() for name in AXES if values.get(name) not in (None, "")}
    shape = "sentence" if undecidable(question) == "sentence" else question.kind
    return Labelled(
        question,
        Answer(text=_text(values, "answer"), citations=cited),
        label,
        golds,
        shape if golds else "no gold",
        tuple(passage for passage, _ in passages),
        holding,
        judged_alone=not passages and evidence is None,
        bucket=bucket,
        axes=axes,
    )


def _bucket(value: object) -> Bucket | None:
    written = word_of(value).lower()
    bucket = next((name for name in BUCKETS if name == written), None)
    if written and bucket is None:
        raise ValueError(f"expected the bucket {', '.join(BUCKETS)}, found {written[:40]!r}")
    return bucket


def _question(values: Row, number: int, golds: tuple[str, ...]) -> Question:
    text = _text(values, "question")
    if not any(map(str.isalpha, text)):
        raise ValueError(f"expected a question, found {text[:40]!r}")
    gold = typed(_text(values, "kind").lower(), list(golds), _text(values, "unit"), text)
    return Question(
        id=_text(values, "id") or f"line {number}",
        text=text,
        stratum="grounded" if golds else "unanswerable",
        kind=gold.kind,
        answerable=bool(golds),
        answers=gold.answers,
        aliases=gold.reasons,
        unit=gold.unit,
        date_precision=gold.precision,
        proposition=gold.proposition,
    )


def _text(values: Row, name: str) -> str:
    value = values.get(name)
    if isinstance(value, (list, dict)):
        raise ValueError(f"expected a text as {name}, found {json.dumps(value)[:60]}")  # noqa: TRY004
    return word_of(value)


def _texts(value: object, name: str, separator: str) -> tuple[str, ...]:
    split = value.split(separator) if isinstance(value, str) else [value]
    texts = value if isinstance(value, list) else split
    if any(isinstance(text, (list, dict)) for text in texts):
        raise ValueError(f"expected texts as {name}, found {json.dumps(value)[:60]}")
    return tuple(dict.fromkeys(filter(None, map(word_of, texts))))


def _passages(value: object) -> list[tuple[Passage, bool]]:
    """Passages that the answer was made from, and whether each holds the evidence."""
    if value in (None, "", []):
        return []
    if not isinstance(value, list):
        raise ValueError(f"expected a list of passages, found {json.dumps(value)[:60]}")  # noqa: TRY004
    passages = []
    for rank, written in enumerate(value, start=1):
        fields = {"text": written} if isinstance(written, str) else written
        if not isinstance(fields, dict) or not isinstance(fields.get("text"), str):
            raise ValueError(f"expected passages with a text, found {json.dumps(written)[:60]}")  # noqa: TRY004
        name, text = str(fields.get("id") or f"p{rank}"), fields["text"]
        read = passage_of(fields) or Passage(name, "", "", 0, 0, text)
        document = read.document or name.rpartition("#")[0] or name
        passage = replace(read, id=name, document=document, start=0, end=len(text))
        passages.append((passage, fields.get("evidence", True) is not False))
    return passages


COLUMNS = (
    "id", "question", "answers", "answer", "label", "bucket", "kind", "unit", "passages", "evidence",
    "citations", *AXES,
)  # fmt: skip
_LABEL = "label."
_SEPARATOR = "answers.separator"
NONE = "-"  # ``answers=-``: a file without golds, whose labels tell refusals apart and nothing else


class Mapping(NamedTuple):
    """Their name of each column, their words for each label, and what stands between several golds."""

    columns: dict[str, str]
    words: dict[str, str]  # a word in small letters -> the label that it means
    separator: str = "|"

    @classmethod
    def parse(cls, texts: Iterable[str] = ()) -> Mapping:
        """Read ``answer=response``, ``label.correct=1,true`` and the like; raises UsageError."""
        columns = dict(zip(COLUMNS, COLUMNS, strict=True))
        words: dict[str, str] = {}
        separator, seen = "|", set[str]()
        for text in texts:
            name, equals, theirs = text.partition("=")
            name = name.strip().lower()
            if not equals or not theirs.strip():
                raise UsageError(f"expected --map NAME=THEIRS, found {text!r}")
            if name in seen:
                raise UsageError(f"expected {name!r} once in --map, found it twice")
            seen.add(name)
            if name == _SEPARATOR:
                separator = theirs
            elif name.removeprefix(_LABEL) in LABELS and name.startswith(_LABEL):
                label = name.removeprefix(_LABEL)
                for word in filter(None, (word.strip().casefold() for word in theirs.split(","))):
                    if (known := words.setdefault(word, label)) != label:
                        raise UsageError(f"expected {word!r} to mean one label, found {known} and {label}")
            elif name in columns:
                columns[name] = theirs.strip()
            else:
                raise UnknownName("column", name, [*COLUMNS, *(_LABEL + each for each in LABELS), _SEPARATOR])
        for label in LABELS:
            words.setdefault(label, label)
        return cls(columns, words, separator)

    def label(self, value: object) -> str:
        """Label that a value means; raises ValueError for one that means none."""
        written = word_of(value)
        label = self.words.get(written.casefold(), "")
        if not label:
            raise ValueError(f"expected the label {', '.join(self.words)}, found {written[:40]!r}")
        return label


def word_of(value: object) -> str:
    """Value as the word that a mapping names: true, 1, yes."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    # Half of a character, which JSON can hold, cannot be written anywhere.
    return "" if value is None else str(value).encode("utf-8", "replace").decode().strip()


OUTCOMES = ("correct", "wrong", "unsupported", "refused", "needs_review", "no_answer")  # of a grader
Confusion = dict[str, dict[str, int]]  # label of people -> outcome of the grader -> answers


class Rates(NamedTuple):
    """The rates of a confusion, in the order in which they are told; None: the labels do not allow it."""

    false_correct: Share  # of our corrects those that people call incorrect or a refusal
    false_wrong: Share  # of people's corrects those that we call wrong
    needs_review: Share
    refusal_recall: Share | None  # of people's refusals those that we call refused; None without such labels
    refusal_precision: Share | None
    agreement_all: Share  # correct or not on both sides; an answer left to review agrees with nobody
    agreement_graded: Share  # the same without the answers left to review


class Difference(NamedTuple):
    """An answer on which people and the grader differ."""

    labelled: Labelled
    verdict: Verdict


class AxisAgreement(NamedTuple):
    """How a grader reads an axis that people labelled."""

    n: int  # answers that both give a value
    agree: int
    unread: int  # answers that people alone give one
    confusion: dict[str, dict[str, int]]  # people's value -> the grader's -> answers


class Calibration(NamedTuple):
    """How a grader fared on labelled answers."""

    grader: str
    n: int
    confusion: Confusion
    by_kind: dict[str, Confusion]
    differences: tuple[Difference, ...]  # the first: false wrongs, false corrects, others, reviews
    buckets: Confusion  # people's bucket -> the grader's outcome -> answers; empty: no buckets
    axes: dict[str, AxisAgreement]


def calibrate(
    grader: Grader,
    answers: Sequence[Labelled],
    *,
    show: int = 0,
    concurrency: int = 1,
    on_progress: Callable[[str, int, int, str], None] | None = None,
) -> Calibration:
    """How a grader fares, with the ``show`` worst differences; one that waits reads several at once."""
    counts: Counter[tuple[str, str, str]] = Counter()
    buckets: Counter[tuple[str, str]] = Counter()
    axes: defaultdict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    refusals = any(each.label == "refusal" for each in answers)
    differing: list[list[Difference]] = [[] for _ in range(5)]
    verdicts = map_in_order(partial(judge, grader), answers, concurrency if waits(grader) else 1)
    for done, (each, verdict) in enumerate(zip(answers, verdicts, strict=True)):
        if on_progress is not None:
            on_progress("grading", done, len(answers), "answers")
        outcome = outcome_of(verdict)
        counts[each.shape, each.label, outcome] += 1
        if each.bucket is not None:
            buckets[each.bucket, outcome] += 1
        for axis, value in each.axes.items():
            axes[axis][value, word_of(getattr(verdict, axis))] += 1
        rank = _rank(each.label, outcome, refusals=refusals)
        rank = 3 if rank is None and each.bucket not in (None, outcome) else rank
        if rank is not None and len(differing[rank]) < show:
            differing[rank].append(Difference(each, verdict))
    kinds = sorted({kind for kind, _, _ in counts})
    return Calibration(
        f"{grader.name}@{grader.version}",
        len(answers),
        _confusion(counts, kinds),
        {kind: _confusion(counts, [kind]) for kind in kinds},
        tuple(each for rank in differing for each in rank)[:show],
        {name: {each: buckets[name, each] for each in OUTCOMES} for name in BUCKETS if buckets},
        {axis: _axis(axes[axis]) for axis in AXES if axis in axes},
    )


def _axis(pairs: Counter[tuple[str, str]]) -> AxisAgreement:
    read = {pair: count for pair, count in pairs.items() if pair[1]}
    people, grader = (sorted({pair[side] for pair in read}) for side in (0, 1))
    return AxisAgreement(
        sum(read.values()),
        sum(count for (ours, theirs), count in read.items() if ours == theirs),
        pairs.total() - sum(read.values()),
        {ours: {theirs: read.get((ours, theirs), 0) for theirs in grader} for ours in people},
    )


def outcome_of(verdict: Verdict) -> str:
    """Bucket of a verdict, or the status that kept it from one."""
    return verdict.bucket or verdict.status


def agrees(label: str, outcome: str) -> bool:
    """Whether both say correct, or neither does; review says nothing."""
    return outcome != "needs_review" and (label == "correct") == (outcome == "correct")


def _rank(label: str, outcome: str, *, refusals: bool) -> int | None:
    """How bad a difference is, from 0 (the worst) to 4; None: there is none."""
    if outcome == "needs_review":
        return 4
    if label == "correct":
        return {"correct": None, "wrong": 0}.get(outcome, 2)
    if outcome == "correct":
        return 1
    return 3 if refusals and (label == "refusal") != (outcome == "refused") else None


def rates(confusion: Confusion) -> Rates:
    """Rates of a confusion."""

    def count(labels: Collection[str] = LABELS, outcomes: Collection[str] = OUTCOMES) -> int:
        return sum(confusion[label][outcome] for label in labels for outcome in outcomes)

    others, decided = ("incorrect", "refusal"), [each for each in OUTCOMES if each != "needs_review"]
    agreed = sum(n for label in LABELS for outcome, n in confusion[label].items() if agrees(label, outcome))
    refused, refusals = count(["refusal"], ["refused"]), count(["refusal"])
    return Rates(
        false_correct=share(count(others, ["correct"]), count(outcomes=["correct"])),
        false_wrong=share(count(["correct"], ["wrong"]), count(["correct"])),
        needs_review=share(count(outcomes=["needs_review"]), count()),
        refusal_recall=share(refused, refusals) if refusals else None,
        refusal_precision=share(refused, count(outcomes=["refused"])) if refusals else None,
        agreement_all=share(agreed, count()),
        agreement_graded=share(agreed, count(outcomes=decided)),
    )


def _confusion(counts: Counter[tuple[str, str, str]], kinds: Sequence[str]) -> Confusion:
    return {
        label: {outcome: sum(counts[kind, label, outcome] for kind in kinds) for outcome in OUTCOMES}
        for label in LABELS
    }


_SUPPORT = {"evidence_retrieved": True, "any_valid_support": True}


def judge(grader: Grader, labelled: Labelled, citations: Citations = "auto") -> Verdict:
    """Verdict on a labelled answer; without passages on the answer alone, its support taken as given."""
    question, answer = labelled.question, labelled.answer
    if not labelled.judged_alone:
        return grade(grader, question, answer, labelled.passages, labelled.supporting, citations=citations)
    reading = grader.read(question, answer, (), frozenset())
    others = (replace(other, **_SUPPORT) for other in reading.others)
    reading = replace(reading, others=tuple(others), **_SUPPORT)
    verdict = decide(question, reading, grader=f"{grader.name}@{grader.version}")
    alone = "No passages were given: only the answer was judged, not its support."
    return replace(verdict, why=alone) if verdict.bucket == "correct" else verdict
