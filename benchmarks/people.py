"""The grader against people whom we did not choose, source by source, never pooled.

    python benchmarks/people.py FOLDER [--grader rules,judge] [--grader-option judge.model=NAME ...]
    python benchmarks/people.py FOLDER --judges benchmarks/people_judges.toml

FOLDER holds the published files, a folder each: evouna, financebench, openqa-nq301 (answers), xstest
(refusals), attributionbench, wice (support of a claim by a passage), edits (sentences of the public corpora
in its folders contractnli, edgar, govreport; ours need none). What is missing is named and left out.
The result is kept in ``people.json`` under the grader's name, with ``--judges`` for each grader of that file.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from bench import HERE, is_unseen, json_lines, parser, proportion, read_result, write_result
from ragharness.analysis.labelled import Confusion, Labelled, calibrate, labelled_answer, rates, read_labelled
from ragharness.corpus.loading import load_corpus
from ragharness.graders import Grader, load_grader
from ragharness.support.options import read_toml
from support_edits import edits

RESULT = HERE / "people.json"
JUDGES = HERE / "people_judges.toml"
STATED = (
    "attributable",
    "supported",
    "verbatim",
    "reordered",
    "prefixed",
    "shortened",
    "fused",
    "first value",
)
SUPPORTED = dict.fromkeys(STATED, "yes")
VERDICTS = ("yes", "no", "undetermined", "not read")
CORPORA = ("contractnli", "edgar", "govreport")

Claims = Iterator[tuple[str, str, list[str], str]]
"""Question, claim, passages and label."""


def answers(grader: Grader, folder: Path) -> dict[str, Any]:
    """EVOUNA and FinanceBench: correct, incorrect, refusal."""
    result = calibrate(grader, read_labelled(folder / "answers.jsonl"))
    return {"n": result.n, **_rates(result.confusion)}


def _rates(confusion: Confusion) -> dict[str, Any]:
    return {
        name: share and proportion(share.count, share.n) for name, share in rates(confusion)._asdict().items()
    }


def annotators(grader: Grader, folder: Path) -> dict[str, Any]:
    """NQ301: answers judged by two or three people, who are set beside the grader.

    A person agrees where the accepted judgement is theirs; the grader is measured on what it decides.
    """
    rows, agreement = judged_by_several(folder)
    single = proportion(agreement[True], agreement.total())
    result = calibrate(grader, rows)
    return {"n": result.n, **_rates(result.confusion), "single_annotator": single}


def judged_by_several(folder: Path) -> tuple[list[Labelled], Counter[bool]]:
    """Answers of NQ301 with the accepted label, and how often one person says the same."""
    golds: dict[str, list[str]] = {}
    for path in sorted((folder / "model_outputs").glob("NQ_*.jsonl")):
        golds |= {row["question"].rstrip("? "): list(row["answer"]) for row in json_lines(path)}
    rows: list[Labelled] = []
    agreement = Counter[bool]()
    with (folder / "NQ301_human.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            accepted, answer = row["Acceptable?"], row["Model answer"]
            gold = golds.get(row["Question"].rstrip("? "))
            if accepted not in ("Yes", "No") or not answer.strip() or gold is None:
                continue
            opinions = (row[f"annotator{number}"] for number in (1, 2, 3))
            agreement.update(opinion == accepted for opinion in opinions if opinion in ("Yes", "No"))
            label = "correct" if accepted == "Yes" else "incorrect"
            rows.append(_labelled(f"{row['id']} {answer}", row["Question"], gold, answer, label))
    return rows, agreement


def _labelled(name: str, question: str, golds: list[str], answer: str, label: str, **more: Any) -> Labelled:
    row = {"id": name, "question": question, "answers": golds, "answer": answer, "label": label}
    return labelled_answer({**row, **more})


def refusals(grader: Grader, folder: Path) -> dict[str, Any]:
    """XSTest: whole refusals of harmful and harmless requests, a kind that no corpus of ours has."""
    counts = Counter[tuple[bool, bool]]()
    for row in requests(folder):
        reading = grader.read(row.question, row.answer, (), frozenset())
        counts[row.label == "refusal", reading.refusal] += 1
    hits = counts[True, True]
    return {
        "n": counts.total(),
        "refusal_recall": proportion(hits, hits + counts[True, False]),
        "refusal_precision": proportion(hits, hits + counts[False, True]),
    }


def requests(folder: Path) -> list[Labelled]:
    """Completions of XSTest; one that does not refuse the whole request is no refusal."""
    rows = []
    for path in sorted(folder.glob("*.csv")):
        with path.open(encoding="utf-8") as file:
            for row in csv.DictReader(file):
                label = "refusal" if row["final_label"] == "2_full_refusal" else "incorrect"
                name, answer = f"{path.stem} {row['id']}", row["completion"] or " "
                rows.append(_labelled(name, row["prompt"], [], answer, label))
    return rows


def support(claims: Callable[[Path], Claims], grader: Grader, folder: Path) -> dict[str, Any]:
    """AttributionBench, WiCE and edits of our own sentences: what passages support, as a run would read it.

    The answer is the claim with a mark for each passage, to a question with another gold, so that nothing
    but the passages speaks for it.
    """
    counts = Counter[tuple[str, str]]()
    for question, claim, texts, label in claims(folder):
        marks = "".join(f"[p{number}]" for number in range(1, len(texts) + 1))
        passages = [{"id": f"p{n}", "text": text, "evidence": False} for n, text in enumerate(texts, 1)]
        answer = f"{claim.rstrip('. ')} {marks}."
        row = _labelled("", question, ["another answer"], answer, "correct", kind="text", passages=passages)
        reading = grader.read(row.question, row.answer, row.passages, row.supporting)
        cited = [part for part in reading.sentences if part.citations]
        joint = [part.joint_support for part in cited if part.is_claim or part.joint_support]
        verdict = "no" if False in joint else "undetermined" if None in joint else "yes"
        verdict = verdict if joint else "not read"
        counts[label, verdict] += 1
    labels = sorted({label for label, _ in counts})
    totals = {label: sum(counts[label, verdict] for verdict in VERDICTS) for label in labels}
    right = sum(n for (label, verdict), n in counts.items() if SUPPORTED.get(label, "no") == verdict)
    open_ = sum(n for (_, verdict), n in counts.items() if verdict == "undetermined")
    n = sum(totals.values())
    return {
        "n": n,
        "said_supported": {label: proportion(counts[label, "yes"], totals[label]) for label in labels},
        "not_read": sum(counts[label, "not read"] for label in labels),
        "undetermined": proportion(open_, n),
        "accuracy": proportion(right, n),
    }


def attribution(folder: Path) -> Claims:
    """Claims of AttributionBench."""
    for row in json_lines(folder / "dev_all_subset_balanced.jsonl"):
        yield row["question"], row["claim"], row["references"], row["attribution_label"]


def wice(folder: Path) -> Claims:
    """Claims of WiCE, each with its article as one passage."""
    for row in json_lines(folder / "claim_dev.jsonl"):
        yield "What does the source say?", row["claim"], [" ".join(row["evidence"])], row["label"]


def edited(folder: Path) -> Claims:
    """Edits of sentences of documents that the scorer did not learn from."""
    for name in ("sample", *CORPORA):
        if name == "sample" or (folder / name).is_dir():
            corpus = load_corpus(name, source=str(folder / name) if name != "sample" else "")
            for edit in edits([corpus], most=12 if len(corpus.documents) > 30 else 40):
                if is_unseen(edit.document):
                    text = edit.passage.text
                    yield "What does the source say?", edit.claim, [text], edit.kind


SOURCES: dict[str, Callable[[Grader, Path], dict[str, Any]]] = {
    "evouna": answers,
    "financebench": answers,
    "openqa-nq301": annotators,
    "xstest": refusals,
    "attributionbench": partial(support, attribution),
    "wice": partial(support, wice),
    "edits": partial(support, edited),
}


def judges(path: Path = JUDGES) -> list[tuple[str, list[str]]]:
    """Graders of a file, each with its settings."""
    cells = read_toml(path, "benchmarks/people_judges.toml")["judge"]
    return [("rules,judge", [f"judge.{name}={value}" for name, value in cell.items()]) for cell in cells]


def main() -> None:
    """Measure every grader on every source that is there, and put it into the result."""
    arguments = parser(__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--grader", default="rules")
    arguments.add_argument("--grader-option", action="append", default=[])
    arguments.add_argument("--judges", type=Path, help="a file of graders, in the place of --grader")
    arguments.add_argument("--only", choices=SOURCES, action="append")
    options = arguments.parse_args()
    graders = judges(options.judges) if options.judges else [(options.grader, options.grader_option)]
    for chain, settings in graders:
        grader, result = load_grader(chain, settings=settings), read_result(RESULT)
        sources = result.setdefault(f"{grader.name}@{grader.version}", {})
        for name in options.only or SOURCES:
            if name == "edits" or (options.folder / name).is_dir():
                sources[name] = SOURCES[name](grader, options.folder / name)
                print(name, json.dumps(sources[name]))
            else:
                print(f"{name}: left out, no folder {options.folder / name}")
        write_result(RESULT, result)


if __name__ == "__main__":
    main()
