"""The job that every tool is timed on: N distinct questions with five passages each, answers given.

Texts are whole sentences of the sample corpus, shuffled by a seed; seven of ten answers hold the gold, one is
wrong, one cites what does not exist, one declines.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from ragharness.corpus.loading import load_corpus
from ragharness.language.words import sentences

ANSWERS = ("noop", "sentence", "long")
"""A fixed refusal; one cited sentence; 200 words of the passages in cited bullets."""

FILES = 1_000
"""Documents of the folder that is asked about, some 3 kB each."""

_SENTENCES = 20
_WORDS = 200

PIPELINE = """
import json, os, time

SLEEP = float(os.environ.get("JOB_SLEEP", "0"))
KIND = os.environ["JOB_ANSWERS"]
CANNED = {}
for line in open(os.environ["JOB_INPUT"], encoding="utf-8") if KIND != "noop" else ():
    row = json.loads(line)
    CANNED[row["question"]] = row["template"]


def written(question, passages):
    ids = [each.id for each in passages] or ["none#1"]
    return CANNED.get(question, "I do not know.").format(*(ids[n % len(ids)] for n in range(5)))


def answer(question, passages):
    if SLEEP:
        time.sleep(SLEEP)
    return written(question, passages)


async def aanswer(question, passages):
    if SLEEP:
        import asyncio
        await asyncio.sleep(SLEEP)
    return written(question, passages)
"""
"""What ours asks; ``{0}`` in an answer stands for the id of the first passage."""


def write_job(folder: Path, n: int, answers: str, *, files: int = FILES, seed: int = 7) -> None:
    """Write ``docs/``, ``questions.csv``, ``input.jsonl`` and ``job.py`` into a folder."""
    chosen = random.Random(seed)
    texts = [each.text[a:b] for each in load_corpus("sample").documents for a, b in sentences(each.text)]
    texts = [" ".join(each.split()) for each in texts if 12 <= len(each.split()) <= 60]
    (folder / "docs").mkdir(parents=True)
    documents = [chosen.sample(texts, _SENTENCES) for _ in range(files)]
    for number, held in enumerate(documents):
        body = "\n\n".join([f"Report {number}", *held])
        (folder / "docs" / f"report-{number}.txt").write_text(body + "\n", encoding="utf-8")
    with (
        (folder / "questions.csv").open("w", newline="", encoding="utf-8") as table,
        (folder / "input.jsonl").open("w", encoding="utf-8") as lines,
    ):
        rows = csv.writer(table)
        rows.writerow(["question", "answer", "evidence", "document"])
        for each in islice(_questions(documents, chosen), n):
            rows.writerow([each[name] for name in ("question", "gold", "evidence", "document")])
            each["template"] = _template(each, answers, int(each["id"][1:]) % 10)
            each["canned"] = each["template"].format(*(passage["id"] for passage in each["passages"]))
            lines.write(json.dumps(each) + "\n")
    (folder / "job.py").write_text(PIPELINE, encoding="utf-8")


def _questions(documents: list[list[str]], chosen: random.Random) -> Iterator[dict[str, Any]]:
    number = 0
    while True:
        document = chosen.randrange(len(documents))
        held = documents[document]
        place = chosen.randrange(len(held) - 5)
        passages = [
            {"id": f"p{number}-{at}", "text": text} for at, text in enumerate(held[place : place + 5])
        ]
        words = held[place].split()
        yield {
            "id": f"q{number}",
            "question": f"Report {document}, case {number}: {' '.join(words[:3])} ... {' '.join(words[9:])}?",
            "gold": " ".join(words[3:9]),
            "evidence": held[place],
            "document": f"report-{document}.txt",
            "passages": passages,
        }
        number += 1


def _template(row: dict[str, Any], answers: str, turn: int) -> str:
    """Return the answer with ``{0}`` to ``{4}`` for the ids of passages."""
    if answers == "noop" or turn == 9:
        return "I do not know."
    said = f"It says that {row['gold']} applies here." if turn != 7 else "It says nothing of the kind."
    said = said.replace("{", "(").replace("}", ")")
    cited = "[none#x]" if turn == 8 else "[{0}]"
    if answers == "sentence":
        return f"{said} {cited}"
    bullets, length = [f"{said} {cited}"], 0
    for at, passage in enumerate(row["passages"] * 4):
        if length >= _WORDS:
            break
        length += len(passage["text"].split())
        bullets.append(f"- {passage['text'].replace('{', '(').replace('}', ')')} [{{{at % 5}}}]")
    return "\n".join(bullets)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Write the job into a new folder.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("questions", type=int)
    parser.add_argument("--answers", choices=ANSWERS, default="sentence")
    asked = parser.parse_args()
    write_job(asked.folder, asked.questions, asked.answers)
