"""reStructuredText to a web page, with docutils (extra ``folders``); Sphinx is read too."""

from __future__ import annotations

import io
import re
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from typing import Any, ClassVar

_DIRECTIVE = re.compile(r"^[ \t]*\.\.[ \t]+([A-Za-z][\w.+:-]*?)::(?:[ \t]|$)", re.MULTILINE)
_ROLE = re.compile(r":([A-Za-z][\w.+:-]*?):`")
_TARGET = re.compile(r"(?s)(.+?)\s*<([^<>]+)>\Z")

_CHANGES = {
    "versionadded": "Added in version",
    "versionchanged": "Changed in version",
    "deprecated": "Deprecated since version",
    "versionremoved": "Removed in version",
}
"""What Sphinx prints for what a version brought."""

_NOT_SHOWN = frozenset(
    [
        "toctree",
        "index",
        "currentmodule",
        "module",
        "py:module",
        "py:currentmodule",
        "highlight",
        "literalinclude",
        "include",
        "raw",
        "only",
        "default-domain",
        "testsetup",
        "testcleanup",
        "image",
        "figure",
        "automodule",
        "autofunction",
        "autoclass",
        "automethod",
        "autoexception",
        "autodata",
        "autoattribute",
        "autosummary",
        "click",
    ]
)
"""Directives whose text is another file's, or is not for readers."""

_CODE = frozenset(
    ["code-block", "sourcecode", "code", "testcode", "testoutput", "doctest", "prompt", "parsed-literal"]
)
_STANDARD = frozenset({"class"})
"""Directives of docutils that mean something else in Sphinx."""

_SETTINGS = {
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "report_level": 5,
    "halt_level": 5,
    "syntax_highlight": "none",
    "math_output": "LaTeX",
    "line_length_limit": 1_000_000,
    "_disable_config": True,
}


def rst_to_html(text: str) -> bytes:
    """Return a page of reStructuredText as HTML; no other file is read, and nothing is run.

    Raises ValueError where docutils gives up on it.
    """
    from docutils.core import publish_parts

    _learn(text)
    try:
        parts = publish_parts(
            text, writer="html5", settings_overrides={**_SETTINGS, "warning_stream": io.StringIO()}
        )
    except Exception as error:
        raise ValueError(f"docutils cannot read it: {' '.join(str(error).split())[:200]}") from error
    # Remarks stand in <aside>, which a page has around its text.
    body = parts["html_body"].replace("<aside", "<div").replace("</aside>", "</div>")
    return f'<html><head><meta charset="utf-8"></head><body>{body}</body></html>'.encode()


def _learn(text: str) -> None:
    """Make known to docutils what a text uses of Sphinx, or of an extension."""
    from docutils.parsers.rst import directives, roles
    from docutils.parsers.rst.languages import en

    for name in {each.lower() for each in _DIRECTIVE.findall(text)}:
        if name not in en.directives or name in _NOT_SHOWN or name in _STANDARD:
            directives.register_directive(name, _any_directive())
    for name in {each.lower() for each in _ROLE.findall(text)} - en.roles.keys():
        roles.register_local_role(name, _role)


@cache
def _any_directive() -> type[Any]:
    """Return the directive that shows its argument and its text, whatever its name."""
    from docutils import nodes
    from docutils.parsers.rst import Directive, directives

    class AnyDirective(Directive):  # type: ignore[misc,unused-ignore]
        optional_arguments = 1000
        final_argument_whitespace = True
        has_content = True
        option_spec: ClassVar[Any] = defaultdict[str, "Callable[[str], str]"](lambda: directives.unchanged)

        def run(self) -> list[Any]:
            name = self.name.lower()
            if name in _NOT_SHOWN:
                return []
            told = " ".join(" ".join(self.arguments).split())
            if name in _CODE:
                code = "\n".join(self.content)
                return [nodes.literal_block(code, code)]
            shown = [f"Default: {each}" for each in [self.options.get("default")] if each]
            if name in _CHANGES:
                # A version, then what may be said of it.
                version, _, said = told.partition(" ")
                text = f"{_CHANGES[name]} {version}" + (f": {said}" if said else "")
                if not said and self.content and self.content[0].strip():
                    inline = nodes.Element()
                    self.state.nested_parse(self.content, self.content_offset, inline)
                    first = inline.astext().replace("\n\n", " ")
                    return [nodes.paragraph("", f"{text}: {' '.join(first.split())}")]
                return [nodes.paragraph("", text), *self._below()]
            head = [nodes.paragraph(told, told)] if told and name != "rst-class" else []
            return [*head, *(nodes.paragraph(each, each) for each in shown), *self._below()]

        def _below(self) -> list[Any]:
            box = nodes.container()
            self.state.nested_parse(self.content, self.content_offset, box)
            return [box] if box.children else []

    return AnyDirective


def _role(
    _name: str,
    _raw: str,
    text: str,
    _line: int,
    _inliner: object,
    options: object = None,  # noqa: ARG001
    content: object = None,  # noqa: ARG001
) -> tuple[list[Any], list[Any]]:
    """Show what Sphinx shows of a reference: its title, or the end of the name after a tilde."""
    from docutils import nodes
    from docutils.utils import unescape

    said = unescape(text)
    found = _TARGET.match(said)
    if found:
        said = found[1]
    elif said.startswith("~"):
        said = said[1:].rsplit(".", 1)[-1]
    said = said.removeprefix("!")
    return [nodes.inline(said, said)], []
