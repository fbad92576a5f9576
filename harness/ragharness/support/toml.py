"""TOML out: tables of texts, numbers and lists, nested once."""

from __future__ import annotations

import json
from typing import Any


def to_toml(table: dict[str, Any]) -> str:
    """Return a table as TOML; tables within it come last, with their names in quotation marks."""
    # A JSON string or list is a TOML string or array.
    lines = [f"{key} = {_value(value)}" for key, value in table.items() if not isinstance(value, dict)]
    for key, value in table.items():
        if isinstance(value, dict):
            lines += ["", f"[{key}]", *(f'"{name}" = {_value(each)}' for name, each in value.items())]
    return "\n".join([*lines, ""])


def _value(value: Any) -> str:
    if isinstance(value, dict):
        inner = ", ".join(f'"{name}" = {_value(each)}' for name, each in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    return json.dumps(value, ensure_ascii=False)
