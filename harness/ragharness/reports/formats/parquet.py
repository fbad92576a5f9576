"""The records as Parquet: one row each, beside its question, with typed columns."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ragharness.analysis.scores import RunOnDisk, Scores
from ragharness.errors import UsageError
from ragharness.records import Question
from ragharness.reports.formats import COLUMNS, flat_records


def render(scores: Scores, *, run: RunOnDisk, **_: object) -> bytes:
    """File; raises UsageError where pyarrow is not installed."""
    return parquet(flat_records(run), COLUMNS)


_QUESTION: dict[str, tuple[Any, Callable[[Question], Any]]] = {  # columns of a table
    "id": (str, lambda question: question.id),
    "text": (str, lambda question: question.text),
    "row": (str, lambda question: question.row),
    "kind": (str, lambda question: question.kind),
    "wanted": (str, lambda question: question.wanted),
    "answerable": (bool, lambda question: question.answerable),
    "answers": (list[str], lambda question: list(question.answers)),
    "unit": (str, lambda question: question.unit),
    "document": (str, lambda question: question.document),
    "withheld": (str, lambda question: question.withheld),
    "evidence_documents": (list[str], lambda question: [span.document for span in question.evidence]),
    "evidence_starts": (list[int], lambda question: [span.start for span in question.evidence]),
    "evidence_ends": (list[int], lambda question: [span.end for span in question.evidence]),
    "distractors": (list[str], lambda question: [each.value for each in question.distractors]),
}


def questions_parquet(questions: Iterable[Question]) -> bytes:
    """Questions as a Parquet file, one row each; raises UsageError where pyarrow is not installed."""
    rows = [{name: value(each) for name, (_, value) in _QUESTION.items()} for each in questions]
    return parquet(rows, {name: kind for name, (kind, _) in _QUESTION.items()})


def parquet(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, Any]) -> bytes:
    """Rows as a Parquet file; raises UsageError where pyarrow is not installed."""
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
