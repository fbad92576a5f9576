"""The grader against people whom we did not choose, source by source, never pooled.

    python benchmarks/people.py FOLDER [--grader rules,judge] [--grader-option judge.model=NAME ...]
    python benchmarks/people.py FOLDER --judges benchmarks/people_judges.toml
    python benchmarks/people.py FOLDER --replies REPLIES --model NAME=GGUF [--base-url URL]
    python benchmarks/people.py FOLDER --replies REPLIES --reranker FOLDER --embeddings

FOLDER holds the published files, a folder each: evouna, financebench, openqa-nq301 (answers), xstest
(refusals), attributionbench, wice (support of a claim by a passage). What is missing is named and left out.
The result is kept in ``people.json`` under the grader's name, with ``--judges`` for each grader of that file.

With ``--replies`` a model's word is weighed instead of taken (``people_models.py``), and the result kept in
``people_models.json``. Every reply is a line of a file in REPLIES; without a service the result is made of
those.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ragharness.analysis.calibration.labelled import Labelled, labelled_answer, read_labelled
from ragharness.analysis.calibration.measuring import calibrate, rates
from ragharness.analysis.metrics import share
from ragharness.graders import Grader, load_grader
from ragharness.support.options import read_toml

RESULT = Path(__file__).with_suffix(".json")
SUPPORTED = {"attributable": "yes", "supported": "yes"}


def lines(path: Path) -> Iterator[Any]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def answers(grader: Grader, folder: Path) -> dict[str, Any]:
    """EVOUNA and FinanceBench: correct, incorrect, refusal."""
    found = calibrate(grader, read_labelled(folder / "answers.jsonl"))
    return {"n": found.n, **told(found.confusion)}


def told(confusion: Any) -> dict[str, Any]:
    return {name: each and list(each_of(each)) for name, each in rates(confusion)._asdict().items()}


def each_of(value: Any) -> tuple[int, int, float | None, float | None]:
    return value.count, value.n, value.low, value.high


def annotators(grader: Grader, folder: Path) -> dict[str, Any]:
    """NQ301: answers judged by two or three people, who are set beside the grader.

    A person agrees where the accepted judgement is theirs; the grader is measured on what it decides.
    """
    rows, people = judged_by_several(folder)
    found = calibrate(grader, rows)
    single = share(people[True], people.total())
    return {"n": found.n, **told(found.confusion), "single_annotator": list(each_of(single))}


def judged_by_several(folder: Path) -> tuple[list[Labelled], Counter[bool]]:
    """Return the answers of NQ301 with what was accepted, and how often one person says the same."""
    golds: dict[str, tuple[str, ...]] = {}
    for path in sorted((folder / "model_outputs").glob("NQ_*.jsonl")):
        golds |= {each["question"].rstrip("? "): tuple(each["answer"]) for each in lines(path)}
    rows: list[Labelled] = []
    people = Counter[bool]()
    with (folder / "NQ301_human.tsv").open(encoding="utf-8") as file:
        for each in csv.DictReader(file, delimiter="\t"):
            accepted, known = each["Acceptable?"], golds.get(each["Question"].rstrip("? "))
            if accepted not in ("Yes", "No") or not each["Model answer"].strip() or known is None:
                continue
            said = (each[f"annotator{number}"] for number in (1, 2, 3))
            people.update(one == accepted for one in said if one in ("Yes", "No"))
            label = "correct" if accepted == "Yes" else "incorrect"
            asked = {
                "id": f"{each['id']} {each['Model answer']}",
                "question": each["Question"],
                "answers": list(known),
                "answer": each["Model answer"],
            }
            rows.append(labelled_answer({**asked, "label": label}))
    return rows, people


def refusals(grader: Grader, folder: Path) -> dict[str, Any]:
    """XSTest: whole refusals of harmful and harmless requests, a kind that no corpus of ours has."""
    counts = Counter[tuple[bool, bool]]()
    for read in requests(folder):
        reading = grader.read(read.question, read.answer, (), frozenset())
        counts[read.label == "refusal", reading.refusal] += 1
    hit = counts[True, True]
    return {
        "n": counts.total(),
        "refusal_recall": list(each_of(share(hit, hit + counts[True, False]))),
        "refusal_precision": list(each_of(share(hit, hit + counts[False, True]))),
    }


def requests(folder: Path) -> list[Labelled]:
    """Return the completions of XSTest; one that does not refuse the whole request is no refusal."""
    rows = []
    for path in sorted(folder.glob("*.csv")):
        with path.open(encoding="utf-8") as file:
            for each in csv.DictReader(file):
                asked: dict[str, Any] = {
                    "id": f"{path.stem} {each['id']}",
                    "question": each["prompt"],
                    "answers": [],
                    "answer": each["completion"] or " ",
                }
                refused = each["final_label"] == "2_full_refusal"
                rows.append(labelled_answer({**asked, "label": "refusal" if refused else "incorrect"}))
    return rows


def support(grader: Grader, rows: Iterator[tuple[Any, ...]]) -> dict[str, Any]:
    """Whether passages support a claim, (question, claim, passages, label): how often that is said."""
    counts = Counter[tuple[str, str]]()
    for question, claim, passages, label in rows:
        marks = "".join(f"[p{number}]" for number in range(1, len(passages) + 1))
        cited = [{"id": f"p{n}", "text": each, "evidence": False} for n, each in enumerate(passages, 1)]
        asked: dict[str, Any] = {
            "question": question,
            "answers": [claim],
            "answer": f"{claim.rstrip('. ')} {marks}.",
        }
        read = labelled_answer({**asked, "passages": cited, "label": "correct"})
        reading = grader.read(read.question, read.answer, read.passages, read.supporting)
        joint = [each.joint_support for each in reading.sentences if each.joint_support is not None]
        counts[label, "not read" if not joint else "yes" if all(joint) else "no"] += 1
    labels = sorted({label for label, _ in counts})
    of = {each: sum(counts[each, said] for said in ("yes", "no", "not read")) for each in labels}
    right = sum(n for (label, said), n in counts.items() if SUPPORTED.get(label, "no") == said)
    return {
        "n": sum(of.values()),
        "said_supported": {each: list(each_of(share(counts[each, "yes"], of[each]))) for each in labels},
        "not_read": sum(n for (_, said), n in counts.items() if said == "not read"),
        "accuracy": list(each_of(share(right, sum(of.values())))),
    }


def attribution(folder: Path) -> Iterator[tuple[Any, ...]]:
    """Yield the claims of AttributionBench: question, claim, passages, label."""
    for each in lines(folder / "dev_all_subset_balanced.jsonl"):
        yield each["question"], each["claim"], each["references"], each["attribution_label"]


def wice(folder: Path) -> Iterator[tuple[Any, ...]]:
    """Yield the claims of WiCE, each with its article as one passage."""
    for each in lines(folder / "claim_dev.jsonl"):
        yield "What does the source say?", each["claim"], [" ".join(each["evidence"])], each["label"]


SOURCES: dict[str, Callable[[Grader, Path], dict[str, Any]]] = {
    "evouna": answers,
    "financebench": answers,
    "openqa-nq301": annotators,
    "xstest": refusals,
    "attributionbench": lambda grader, folder: support(grader, attribution(folder)),
    "wice": lambda grader, folder: support(grader, wice(folder)),
}


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    asked.add_argument("folder", type=Path)
    asked.add_argument("--grader", default="rules")
    asked.add_argument("--grader-option", action="append", default=[])
    asked.add_argument("--judges", type=Path, help="a file of graders, in the place of --grader")
    asked.add_argument("--only", choices=SOURCES, action="append")
    asked.add_argument("--replies", type=Path, help="the folder in which replies of models are kept")
    asked.add_argument("--model", default="", metavar="NAME=GGUF", help="by whose file replies are known")
    asked.add_argument(
        "--base-url", default="", help="where the model is served; else only kept replies count"
    )
    asked.add_argument("--reranker", default="", metavar="FOLDER")
    asked.add_argument("--embeddings", action="store_true")
    asked.add_argument("--kept", action="store_true", help="score nothing new; only kept scores count")
    given = asked.parse_args()
    if given.replies:
        from people_models import measure

        measure(given)
        return
    for name, options in graders_of(given):
        kept(load_grader(name, settings=options), given)


def graders_of(given: argparse.Namespace) -> list[tuple[str, list[str]]]:
    """Return the graders that are asked for, each with its settings."""
    if not given.judges:
        return [(given.grader, given.grader_option)]
    cells = read_toml(given.judges, "benchmarks/people_judges.toml")["judge"]
    return [("rules,judge", [f"judge.{name}={value}" for name, value in each.items()]) for each in cells]


def kept(grader: Grader, given: argparse.Namespace) -> None:
    """Measure a grader on every source that is there, and put it into the result."""
    found = json.loads(RESULT.read_text(encoding="utf-8")) if RESULT.exists() else {}
    mine = found.setdefault(f"{grader.name}@{grader.version}", {})
    for name in given.only or SOURCES:
        if not (given.folder / name).is_dir():
            print(f"{name}: left out, no folder {given.folder / name}")
            continue
        mine[name] = SOURCES[name](grader, given.folder / name)
        print(name, json.dumps(mine[name]))
    RESULT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
