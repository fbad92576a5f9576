"""A folder for Hugging Face ``datasets``: the question set and the records, with a card that names both."""

from __future__ import annotations

from ragharness.analysis.scores import RunOnDisk, Scores
from ragharness.reports.formats import COLUMNS, flat_records
from ragharness.reports.formats.parquet import parquet, questions_parquet

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
    """Files of the folder; raises UsageError where pyarrow is not installed."""
    records, questions = flat_records(run), run.folder.questions()
    counts = {"questions": len(questions), "records": len(records)}
    return {
        "README.md": _CARD.format(title=scores.run, corpus=scores.corpus, **counts).encode(),
        "questions.parquet": questions_parquet(questions),
        "records.parquet": parquet(records, COLUMNS),
    }
