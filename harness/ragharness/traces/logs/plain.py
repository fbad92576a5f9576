"""An answer a line: question, answer, passages, citations; or the traces of docs/traces.md."""

from __future__ import annotations

from typing import Any

from ragharness.pipelines.adapters.fields import identifier
from ragharness.records import Passage
from ragharness.traces.logs._spans import Entry, named, passages_in


def reads(row: Any) -> bool:
    """Whether a row has an answer of its own."""
    return isinstance(row, dict) and (
        isinstance(row.get("answer_json"), dict) or ("answer" in row and "question" in row)
    )


def entry(row: dict[str, Any], number: int) -> Entry | None:
    """The answer of a row; None without a question."""
    nested = row.get("answer_json")
    answer = nested if isinstance(nested, dict) else row
    name = identifier(row.get("qid") or row.get("q_id") or row.get("id")) or f"line {number}"
    question = str(row.get("question") or ("" if answer is row else name)).strip()
    if not question:
        return None
    texts, ids = row.get("passages", row.get("contexts")), row.get("retrieved_ids")
    listed = tuple(Passage(str(name), "", "", 0, 0, "") for name in ids) if isinstance(ids, list) else ()
    passages = passages_in(texts) or listed
    cited = answer.get("citations")
    return Entry(
        id=name,
        question=question,
        answer=str(answer.get("claim", answer.get("answer")) or "").strip(),
        citations=tuple(filter(None, map(identifier, cited))) if isinstance(cited, list) else None,
        passages=None if texts is None and ids is None else named(passages),
        numbered=not any(passage.id for passage in passages),
    )
