"""The job that every tool is timed on: N distinct questions with five passages each, answers given.

Texts are sentences of the sample corpus, shuffled by a seed; seven of ten answers hold the gold, one is
wrong, one cites what does not exist, one declines. ``floor`` does the job in the fewest lines.
"""

from __future__ import annotations

import csv
import json
import random
import re
from collections import Counter
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
PIPELINE = """
import json, os

KIND = os.environ["JOB_ANSWERS"]
CANNED = {}
for line in open(os.environ["JOB_INPUT"], encoding="utf-8") if KIND != "noop" else ():
    row = json.loads(line)
    CANNED[row["question"]] = row["template"]


def answer(question, passages):
    ids = [passage.id for passage in passages] or ["none#1"]
    return CANNED.get(question, "I do not know.").format(*(ids[n % len(ids)] for n in range(5)))
"""
"""Our pipeline; ``{0}`` in an answer stands for the id of the first passage."""
_SENTENCES = 20
_WORDS = 200
_CITATION = re.compile(r"\[([^\[\]]+)\]")


def write_job(folder: Path, n: int, answers: str, *, files: int = FILES, seed: int = 7) -> None:
    """Write ``docs/``, ``questions.csv``, ``input.jsonl`` and ``job.py`` into a folder."""
    draw = random.Random(seed)
    texts = [doc.text[a:b] for doc in load_corpus("sample").documents for a, b in sentences(doc.text)]
    texts = [" ".join(text.split()) for text in texts if 12 <= len(text.split()) <= 60]
    (folder / "docs").mkdir(parents=True)
    documents = [draw.sample(texts, _SENTENCES) for _ in range(files)]
    for number, document in enumerate(documents):
        body = "\n\n".join([f"Report {number}", *document])
        (folder / "docs" / f"report-{number}.txt").write_text(body + "\n", encoding="utf-8")
    questions = list(islice(_questions(documents, draw), n))
    with (folder / "questions.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["question", "answer", "evidence", "document"])
        table.writerows(
            [row[name] for name in ("question", "gold", "evidence", "document")] for row in questions
        )
    with (folder / "input.jsonl").open("w", encoding="utf-8") as file:
        for row in questions:
            row["template"] = _template(row, answers, int(row["id"][1:]) % 10)
            row["canned"] = row["template"].format(*(passage["id"] for passage in row["passages"]))
            file.write(json.dumps(row) + "\n")
    (folder / "job.py").write_text(PIPELINE, encoding="utf-8")


def _questions(documents: list[list[str]], draw: random.Random) -> Iterator[dict[str, Any]]:
    number = 0
    while True:
        document = draw.randrange(len(documents))
        start = draw.randrange(_SENTENCES - 5)
        passages = documents[document][start : start + 5]
        words = passages[0].split()
        yield {
            "id": f"q{number}",
            "question": f"Report {document}, case {number}: {' '.join(words[:3])} ... {' '.join(words[9:])}?",
            "gold": " ".join(words[3:9]),
            "evidence": passages[0],
            "document": f"report-{document}.txt",
            "passages": [{"id": f"p{number}-{index}", "text": text} for index, text in enumerate(passages)],
        }
        number += 1


def _template(row: dict[str, Any], answers: str, turn: int) -> str:
    """Answer with ``{0}`` to ``{4}`` for the ids of passages."""
    if answers == "noop" or turn == 9:
        return "I do not know."
    claim = f"It says that {row['gold']} applies here." if turn != 7 else "It says nothing of the kind."
    bullets = [f"{_escaped(claim)} {'[none#x]' if turn == 8 else '[{0}]'}"]
    length = 0
    for index, passage in enumerate(row["passages"] * 4 if answers == "long" else ()):
        if length >= _WORDS:
            break
        length += len(passage["text"].split())
        bullets.append(f"- {_escaped(passage['text'])} [{{{index % 5}}}]")
    return "\n".join(bullets)


def _escaped(text: str) -> str:
    return text.replace("{", "(").replace("}", ")")


def floor(questions: Path, out: Path) -> Counter[str]:
    """Put every answer of ``input.jsonl`` into a bucket by one pattern and write a line for it."""
    counts: Counter[str] = Counter()
    with questions.open(encoding="utf-8") as lines, out.open("w", encoding="utf-8") as file:
        for line in lines:
            row: dict[str, Any] = json.loads(line)
            bucket = _bucket(row["gold"], row["canned"], {passage["id"] for passage in row["passages"]})
            counts[bucket] += 1
            record = {key: row[key] for key in ("id", "canned", "passages")}
            file.write(json.dumps({**record, "bucket": bucket}) + "\n")
            file.flush()
    return counts


def _bucket(gold: str, answer: str, retrieved: set[str]) -> str:
    text = answer.lower()
    if "i do not know" in text:
        return "refused"
    cited = _CITATION.findall(answer)
    if not cited or any(name not in retrieved for name in cited):
        return "unsupported"
    return "correct" if gold.lower() in text else "wrong"
