"""Tables as Parquet."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from ragharness.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


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
