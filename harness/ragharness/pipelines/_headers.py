"""Request headers: literal values, and ``ENV:VARIABLE`` for secrets."""

from __future__ import annotations

import os
from urllib.parse import unquote_plus

from ragharness.errors import PipelineNotUsable
from ragharness.language.tables import regex

_VARIABLE = regex(r"ENV:([A-Za-z_][A-Za-z0-9_]*)")
_NAME = regex(r"[a-z0-9!#$%&'*+.^_`|~-]+")
_SECRET = regex(r"auth|key|token|secret|password|credential|cookie")
_SECRET_SETTING = regex(
    r".*(?:(?:api|access|private)[_-]?key|secret|password|passwd|authorization)"
    r"|(?:.*[_-])?(?:access|auth|api|bearer|session)?token"
)
"""What keys of JSON and options of commands are called that hold a secret; ``max_tokens`` is none."""
_SENDABLE = regex(r"[\x20-\x7e\t]*")

SHORTEST_SECRET = 8
"""Characters from which a value is blanked in texts; a shorter one would hit ordinary words."""


class Headers:
    """Headers with their values, and the settings that say where the values came from."""

    def __init__(self, written: dict[str, str]) -> None:
        """Fill in the variables; raises PipelineNotUsable for one that is absent or cannot be sent."""
        self.settings = {f"header-{name}": value for name, value in written.items()}
        self._secrets: dict[str, str] = {}
        self.values = {name: self._filled(name, value) for name, value in written.items()}

    def hide(self, query: str) -> None:
        """Blank the values of a URL's query too: some services take their key there."""
        for part in query.split("&"):
            value = part.partition("=")[2]
            for written in (value, unquote_plus(value)):
                if len(written) >= SHORTEST_SECRET:
                    self._secrets[written] = "URL"

    def blanked(self, text: str) -> str:
        """Return a text with the names of variables where their values stood."""
        for value, name in self._secrets.items():
            text = text.replace(value, f"[{name}]")
        return text

    def blanked_bytes(self, content: bytes) -> bytes:
        """Return bytes with the names of variables where their values stood."""
        for value, name in self._secrets.items():
            content = content.replace(value.encode(), f"[{name}]".encode())
        return content

    def _filled(self, header: str, written: str) -> str:
        if not _NAME.fullmatch(header):
            raise PipelineNotUsable(f"expected a header name after 'header-', found {header!r}")
        if _SECRET.search(header) and not _VARIABLE.search(written):
            raise PipelineNotUsable(
                f"expected the header {header!r} to take its value from the environment, found it"
                " in plain text",
                help=f"put it into a variable: export NAME=...; --pipeline-option {header_option(header)}",
            )
        return _VARIABLE.sub(lambda found: self._value(header, found[1]), written)

    def _value(self, header: str, variable: str) -> str:
        value = os.environ.get(variable, "").strip()
        if not value or not _SENDABLE.fullmatch(value):
            found = "characters that a header cannot hold" if value else "none of that name"
            raise PipelineNotUsable(
                f"expected the environment variable {variable} for the header {header!r}, found {found}",
                help=f"export {variable}=...",
            )
        if len(value) >= SHORTEST_SECRET:
            self._secrets[value] = variable
        return value


def is_secret(name: str, value: str) -> bool:
    """Whether a value that is written out under this name, in JSON or in a command, must not be kept."""
    return len(value) >= SHORTEST_SECRET and bool(_SECRET_SETTING.fullmatch(name.lower()))


def header_option(header: str) -> str:
    """Return how the header of this name is set."""
    return f"'header-{header}={'Bearer ' if header == 'authorization' else ''}ENV:NAME'"
