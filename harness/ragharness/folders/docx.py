"""Word documents to a web page, with mammoth (extra ``folders``)."""

from __future__ import annotations

import io
from typing import Any


def docx_to_html(content: bytes) -> bytes:
    """Return a .docx file as HTML without pictures; raises ValueError for what is none."""
    if not content.startswith(b"PK"):
        raise ValueError("it is no .docx file (an old .doc must be saved as .docx)")
    import mammoth

    try:
        result = mammoth.convert_to_html(
            io.BytesIO(content), style_map="p[style-name='Title'] => h1:fresh", convert_image=_no_picture
        )
    except Exception as error:
        raise ValueError(f"it is damaged: {' '.join(str(error).split())[:200]}") from error
    return f'<html><head><meta charset="utf-8"></head><body>{result.value}</body></html>'.encode()


def _no_picture(_image: object) -> list[Any]:
    return []
