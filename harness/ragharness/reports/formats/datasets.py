"""A folder for Hugging Face ``datasets``: the question set and the records, with a card that names both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ragharness.reports.arrow import parquet
from ragharness.reports.rows import COLUMNS, flat_records

if TYPE_CHECKING:
    from ragharness.records import Question
    from ragharness.reports.rows import RunOnDisk
    from ragharness.scores import Scores

_COLUMNS: dict[str, Any] = {
    "id": str,
    "text": str,
    "row": str,
    "kind": str,
    "wanted": str,
    "answerable": bool,
    "answers": list[str],
    "unit": str,
    "document": str,
    "withheld": str,
    "evidence_documents": list[str],
    "evidence_starts": list[int],
    "evidence_ends": list[int],
    "distractors": list[str],
}

_CARD = """\
---
configs:
- config_name: questions
  data_files: questions.parquet
- config_name: records
  data_files: records.parquet
---
# {title}

{questions} questions and {records} graded answers of a ragharness run on the corpus `{corpus}`.

```python
from datasets import load_dataset

questions = load_dataset("FOLDER", "questions", split="train")
records = load_dataset("FOLDER", "records", split="train")
```

Evidence is given as character offsets into the documents of the corpus, whose texts are not in this folder.
"""


def render(scores: Scores, *, run: RunOnDisk, **_: object) -> dict[str, bytes]:
    """Return the files of the folder; raises UsageError where pyarrow is not installed."""
    records, questions = flat_records(run), run.folder.questions()
    told = {"corpus": scores.corpus, "questions": len(questions), "records": len(records)}
    return {
        "README.md": _CARD.format(title=scores.run, **told).encode(),
        "questions.parquet": parquet([_flat(each) for each in questions], _COLUMNS),
        "records.parquet": parquet(records, COLUMNS),
    }


def _flat(question: Question) -> dict[str, Any]:
    return {
        "id": question.id,
        "text": question.text,
        "row": question.row,
        "kind": question.kind,
        "wanted": question.wanted,
        "answerable": question.answerable,
        "answers": list(question.answers),
        "unit": question.unit,
        "document": question.document,
        "withheld": question.withheld,
        "evidence_documents": [span.document for span in question.evidence],
        "evidence_starts": [span.start for span in question.evidence],
        "evidence_ends": [span.end for span in question.evidence],
        "distractors": [each.value for each in question.distractors],
    }
