"""Where else a document states an answer, and whether what is withheld is gone: writes ``evidence.json``.

    python benchmarks/evidence.py --contractnli FOLDER --edgar FOLDER --govreport FOLDER [--only sample,edgar]

For every answerable question every passage of its document is searched for further statements of the answer,
whatever built the set: in digits or words, rounded, as another form of a date, in tables, notes and lists of
references. Each passage found that is not gold evidence is cited for the gold answer, beside the gold
passages, and the answer is graded. What was found is read by a person: ``evidence_read.jsonl`` says of each
place whether it does state the answer. For every withheld question what is left in the index is searched the
same way, and for figures from which the answer follows (``derivations``). Exit code 1: places are not read.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from ragharness.corpus.loading import Corpus, load_corpus
from ragharness.corpus.passages import PassageSet, build_passages, withhold
from ragharness.graders import load_grader
from ragharness.graders.verdicts.buckets import grade
from ragharness.language.dates import MONTHS
from ragharness.language.numbers import find_quantities
from ragharness.questions.loading import load_questions
from ragharness.records import Answer, Passage, Question
from ragquestions.corpus_index import Completion
from ragquestions.derivations import derived
from ragquestions.statements import Place, Search

RESULT = Path(__file__).with_name("evidence.json")
READ = Path(__file__).with_name("evidence_read.jsonl")
SETS = ("sample", "contractnli", "edgar", "govreport")
LONGEST = 400
"""Characters of a statement that are kept."""
BEFORE = 20
"""Characters before a gold span in which a negation is looked for."""
_NEGATED = re.compile(r"\b(?:not|never|nor)\s*\Z", re.IGNORECASE)


def answer_of(question: Question, stated: str = "") -> str:
    """Return the gold answer as a person writes it, or the figure of a passage in its unit."""
    unit = question.unit
    if question.kind == "number":
        number = stated or f"{Decimal(question.answers[0]):,}"
        if unit.startswith("USD"):
            return f"${number.lstrip('$ ')} {unit[4:]}".strip()
        return number if not unit or unit in number else f"{number} {unit}"
    if question.kind == "date" and not stated:
        year, *rest = question.answers[0].split("-")
        names = {number: name for name, number in reversed(MONTHS.items()) if len(name) > 3 or name == "may"}
        month = names[int(rest[0])].capitalize() if rest else ""
        return f"{month} {int(rest[1])}, {year}" if len(rest) > 1 else f"{month} {year}".strip()
    if question.kind == "yesno":
        return question.answers[0].capitalize()
    return stated or ", ".join(question.answers)


def second_places(search: Search, questions: Sequence[Question], index: PassageSet) -> dict[str, Any]:
    """Return the passages that state an answer and are no gold evidence, with the verdict on citing them.

    ``gold`` counts the gold passages, ``met`` those that the search finds too: how much it sees; those
    of a yes or no are left out, as they are alike to themselves.
    """
    grader = load_grader()
    found: list[dict[str, Any]] = []
    gold = met = 0
    for question in questions:
        if question.wanted != "correct":
            continue
        pool = _pool(search.corpus, question, index)
        golds = search.evidence.supporting(question, pool)
        places = search.places(question, pool)
        if question.kind != "yesno":
            gold, met = gold + len(golds), met + sum(each.passage.id in golds for each in places)
        held = [each for each in pool if each.id in golds]
        for place in places:
            if place.passage.id in golds:
                continue
            verdicts = {}
            for answer in dict.fromkeys((answer_of(question), _as_stated(question, place))):
                text = f"{answer} [{place.passage.id}]."
                verdict = grade(grader, question, Answer(text=text), [*held, place.passage], golds)
                verdicts[text] = f"{verdict.bucket or verdict.status} {verdict.reason}".strip()
            found.append(
                {
                    "question": question.id,
                    "row": question.row,
                    "passage": place.passage.id,
                    "text": place.text[-LONGEST:],
                    "stated": place.stated,
                    "share": round(place.share, 2),
                    "verdicts": verdicts,
                    "punished": any(not each.startswith("correct") for each in verdicts.values()),
                }
            )
    return {"gold": gold, "met": met, "places": found}


def _pool(corpus: Corpus, question: Question, index: PassageSet) -> Sequence[Passage]:
    """Return the passages of the document asked about, or of the corpus where the question names none."""
    if not question.document:
        return index.passages
    return [
        each
        for name in {question.document: 0, corpus.canonical(question.document): 0}
        for each in index.of(name)
    ]


def _as_stated(question: Question, place: Place) -> str:
    """Return the answer with the figure of the place, where that is more exact than the gold."""
    if question.kind != "number" or not place.stated:
        return answer_of(question)
    digits = len(Decimal(question.answers[0]).normalize().as_tuple().digits)
    exact = [each for each in find_quantities(place.stated) if not each.scaled and each.significant > digits]
    return answer_of(question, place.stated if exact else "")


def left_over(search: Search, questions: Sequence[Question], index: PassageSet) -> list[dict[str, Any]]:
    """Return where what is withheld is still stated in the index, or follows from what is."""
    alike = Completion(search.corpus, index).alike
    found = []
    for question in questions:
        if not question.withheld:
            continue
        own = [question.document]
        kin = own if question.kind == "yesno" else dict.fromkeys((*own, *alike(question.document)))
        pool = [passage for name in kin for passage in index.of(name)]
        for place in search.places(question, pool):
            text = " ".join(place.text.split())[:400]
            found.append(
                {"question": question.id, "how": "stated", "passage": place.passage.id, "text": text}
            )
        for how, text in derived(question, search.corpus.document(question.document).text, pool):
            found.append({"question": question.id, "how": how, "passage": "", "text": text})
    return found


def cut_off(search: Search, questions: Sequence[Question]) -> list[dict[str, Any]]:
    """Return the gold spans that begin right behind a negation, so that they say the contrary."""
    found = []
    for question in questions:
        for span in question.evidence:
            before = search.corpus.document(span.document).text[max(0, span.start - BEFORE) : span.start]
            if _NEGATED.search(before):
                found.append({"question": question.id, "span": f"{span.document} {span.start}-{span.end}"})
    return found


def measured(name: str, source: str) -> dict[str, Any]:
    """Return what was found about one frozen set."""
    corpus = load_corpus(name, source=source)
    asked = load_questions(corpus)
    index = withhold(build_passages(corpus.documents), asked.withheld_documents, asked.withheld_spans)
    search = Search(corpus)
    return {
        "hash": asked.hash[:12],
        "answerable": sum(each.wanted == "correct" for each in asked.questions),
        "withheld": sum(bool(each.withheld) for each in asked.questions),
        **second_places(search, asked.questions, index),
        "left": left_over(search, asked.questions, index),
        "cut": cut_off(search, asked.questions),
    }


def with_readings(name: str, found: dict[str, Any]) -> dict[str, Any]:
    """Return what was found with what a person said of it, the counts, and what was read but not found."""
    lines = map(json.loads, READ.read_text(encoding="utf-8").splitlines())
    said = {
        _key(each): each["states"] for each in lines if (each["set"], each["hash"]) == (name, found["hash"])
    }
    for each in (*found["places"], *found["left"]):
        each["states"] = said.get(_key(each), "unread")
    met = {_key(each) for each in (*found["places"], *found["left"])}
    true = [each for each in found["places"] if each["states"] == "yes"]
    counts = {
        "gold passages": found["gold"],
        "of these met": found["met"],
        "found besides": len(found["places"]),
        "state the answer": len(true),
        "arguable": sum(each["states"] == "arguable" for each in found["places"]),
        "punished": sum(each["punished"] for each in true),
        "of questions": len({each["question"] for each in true}),
        "withheld, left": len({each["question"] for each in found["left"] if each["states"] == "yes"}),
        "cut": len(found["cut"]),
        "unread": sum(each["states"] == "unread" for each in (*found["places"], *found["left"])),
    }
    missed = sorted(" ".join(key) for key, states in said.items() if states == "yes" and key not in met)
    return {"counts": counts, "missed": missed, **found}


def _key(each: dict[str, Any]) -> tuple[str, str, str]:
    return each["question"], each.get("how", ""), each["passage"]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in SETS[1:]:
        parser.add_argument(f"--{name}", default="", metavar="FOLDER")
    parser.add_argument("--only", default=",".join(SETS), metavar="SETS")
    given = parser.parse_args()
    result = json.loads(RESULT.read_text(encoding="utf-8")) if RESULT.exists() else {}
    for name in given.only.split(","):
        one = result[name] = with_readings(name, measured(name, getattr(given, name, "")))
        print(name, ", ".join(f"{what} {count}" for what, count in one["counts"].items()))
        for each in (*one["places"], *one["left"]):
            if each["states"] == "unread":
                print("  unread:", each["question"], each.get("how", ""), each["passage"], each["text"])
        for each in one["missed"]:
            print("  read, but not found:", each)
        for each in (*one["places"], *one["left"]):
            # A corpus' text is not ours to commit.
            each.pop("text")
            each.pop("stated", "")
    RESULT.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return int(any(one["counts"]["unread"] or one["missed"] for one in result.values()))


if __name__ == "__main__":
    sys.exit(main())
