"""The records as Parquet: one row each, beside its question, with typed columns."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from ragharness.errors import UsageError
from ragharness.reports.rows import COLUMNS, flat_records

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ragharness.records import Question
    from ragharness.reports.rows import RunOnDisk
    from ragharness.scores import Scores


def render(scores: Scores, *, run: RunOnDisk, **_: object) -> bytes:
    """Return the file; raises UsageError where pyarrow is not installed."""
    return parquet(flat_records(run), COLUMNS)


_QUESTION: dict[str, Any] = {
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
"""The columns of a table of questions, with their types."""


def questions_parquet(questions: Iterable[Question]) -> bytes:
    """Return questions as a Parquet file, one row each; raises UsageError where pyarrow is not installed."""
    return parquet([_flat(each) for each in questions], _QUESTION)


def parquet(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, Any]) -> bytes:
    """Return rows as a Parquet file; raises UsageError where pyarrow is not installed."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise UsageError("expected pyarrow, found none", help="pip install 'ragharness[parquet]'") from None
    plain = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
    types = {**plain, list[str]: pa.list_(pa.string()), list[int]: pa.list_(pa.int64())}
    schema = pa.schema([(name, types[kind]) for name, kind in columns.items()])
    written = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(list(rows), schema=schema), written)
    return written.getvalue()


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
