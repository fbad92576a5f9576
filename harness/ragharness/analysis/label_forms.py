"""The labelling page: a server on the loopback address, for whoever has the token in its URL."""

from __future__ import annotations

import csv
import io
import secrets
from collections.abc import Iterator
from hmac import compare_digest
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import msgspec

from ragharness.analysis.labelling import Given, Labelling, Shown, checked
from ragharness.corpus.folders.text import decode
from ragharness.errors import AlreadyLabelled, RagharnessError, UsageError
from ragharness.runner.journal import disk
from ragharness.support.files import write_atomic

LOOPBACK = "127.0.0.1"
_PAGE = Path(__file__).parent / "label_page"
_FILES = {
    "": ("index.html", "text/html; charset=utf-8"),
    "page.css": ("page.css", "text/css; charset=utf-8"),
    "page.js": ("page.js", "text/javascript; charset=utf-8"),
}
_LARGEST_BODY = 64 * 1024
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
        " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class _Sent(msgspec.Struct, forbid_unknown_fields=True):
    """What the page sends: the answer that it shows, and the label, or None to skip it."""

    question: str
    epoch: int
    label: Given | None = None


class LabelServer(ThreadingHTTPServer):
    """Serves one annotator's labelling; raises UsageError for a port that is not free."""

    daemon_threads = True

    def __init__(self, labelling: Labelling, port: int = 0) -> None:
        self.labelling = labelling
        self.token = secrets.token_urlsafe(24)
        try:
            super().__init__((LOOPBACK, port), _Handler)
        except (OSError, OverflowError) as error:
            raise UsageError(f"port {port} is not free: {error}", help="--port 0") from error

    @property
    def hosts(self) -> set[str]:
        """The names by which a browser may ask for it: another one was pointed here by someone else."""
        return {f"{name}:{self.server_port}" for name in (LOOPBACK, "localhost")}

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"http://{LOOPBACK}:{self.server_port}/{self.token}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing about a browser that went away."""


class _Handler(BaseHTTPRequestHandler):
    server: LabelServer
    protocol_version = "HTTP/1.1"
    server_version = "ragharness"
    sys_version = ""
    timeout = 60

    def do_GET(self) -> None:
        """Send the page, its files, or the state."""
        name = self._asked()
        if name == "state":
            self._state()
        elif name in _FILES:
            file, kind = _FILES[name]
            self._send(HTTPStatus.OK, (_PAGE / file).read_bytes(), kind)
        elif name is not None:
            self._refuse(HTTPStatus.NOT_FOUND, "no such page")

    def do_POST(self) -> None:
        """Label or skip the answer that the page shows, or undo, then send the next state."""
        name = self._asked()
        if name is None:
            return
        origin = self.headers.get("Origin", "")
        if origin.removeprefix("http://") not in self.server.hosts or not origin.startswith("http://"):
            self._refuse(HTTPStatus.FORBIDDEN, "another page sent this")
        elif self.headers.get_content_type() != "application/json":
            self._refuse(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "this is not JSON")
        elif (body := self._body()) is not None:
            try:
                self._label(name, body)
            except AlreadyLabelled as error:
                self._refuse(HTTPStatus.CONFLICT, str(error))
            except UsageError as error:
                self._refuse(HTTPStatus.BAD_REQUEST, str(error))
            except RagharnessError as error:
                self._refuse(HTTPStatus.INSUFFICIENT_STORAGE, str(error))

    def _label(self, name: str, body: bytes) -> None:
        labelling = self.server.labelling
        if name == "label":
            try:
                sent = msgspec.json.decode(body, type=_Sent)
            except (msgspec.MsgspecError, UnicodeDecodeError) as error:
                raise UsageError(f"this is not a label: {error}") from error
            if sent.label is None:
                labelling.skip(sent.question, sent.epoch)
            else:
                labelling.save(sent.question, sent.label, sent.epoch)
        elif name == "undo":
            labelling.undo()
        else:
            self._refuse(HTTPStatus.NOT_FOUND, "no such page")
            return
        self._state()

    def _state(self) -> None:
        try:
            content = msgspec.json.encode(self.server.labelling.state())
        except RagharnessError as error:
            self._refuse(HTTPStatus.INTERNAL_SERVER_ERROR, str(error))
        else:
            self._send(HTTPStatus.OK, content, "application/json")

    def _asked(self) -> str | None:
        """What is asked for below the token; None: refused, and said so."""
        token, slash, name = self.path.partition("?")[0].removeprefix("/").partition("/")
        if self.headers.get("Host", "") not in self.server.hosts:
            self._refuse(HTTPStatus.FORBIDDEN, "another name was used for this machine")
        elif not slash or not compare_digest(token.encode(), self.server.token.encode()):
            self._refuse(HTTPStatus.NOT_FOUND, "open the address that ragharness label printed")
        else:
            return name
        return None

    def _body(self) -> bytes | None:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or len(length) > 18 or int(length) > _LARGEST_BODY:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too much was sent")
            return None
        return self.rfile.read(int(length))

    def _refuse(self, status: HTTPStatus, why: str) -> None:
        # What was not read would be taken for the next request.
        self.close_connection = True
        self._send(status, msgspec.json.encode({"error": why}), "application/json")

    def _send(self, status: HTTPStatus, content: bytes, kind: str) -> None:
        self.send_response(status)
        for name, value in {**_HEADERS, "Content-Type": kind, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the base class' word)
        """Keep the terminal for what the person needs."""


TO_FILL_IN = ("bucket", "citation_supports", "extra_claim_count", "refusal_quality", "comment")
COLUMNS = ("question", "epoch", "asked", "gold", "notes", "answer", *TO_FILL_IN, "evidence", "passages")
_NUMBERS = ("extra_claim_count", "refusal_quality")
_NAMED = 5
_LONGEST = 20_000  # characters of a cell; spreadsheets cut at 32,767


def write_table(path: Path, labelling: Labelling) -> int:
    """Write the answers without a label, one a line with empty columns for it; returns how many."""
    done = {label.key for label in labelling.labels}
    written = io.StringIO(newline="")
    rows = csv.writer(written, dialect="excel-tab", lineterminator="\n")
    rows.writerow(COLUMNS)
    keys = [key for key in labelling.keys if key not in done]
    for item in map(labelling.item, keys):
        answer = "".join(piece.text for piece in item.answer)
        given = (item.question, str(item.epoch), item.asked, item.gold, " / ".join(item.notes), answer)
        texts = (_texts(item.evidence), _texts(item.passages))
        rows.writerow([*map(_cell, given), *[""] * len(TO_FILL_IN), *map(_cell, texts)])
    with disk(path):
        # With the mark, spreadsheets know that it is UTF-8.
        write_atomic(path, written.getvalue().encode("utf-8-sig"))
    return len(keys)


def read_table(path: Path, labelling: Labelling) -> tuple[int, int]:
    """Write the labels of a filled table; returns how many are new and how many rows have none.

    A row that was read before is left as it is. Raises UsageError with the bad lines, writing nothing.
    """
    given: list[tuple[str, int, Given]] = []
    problems: list[str] = []
    empty = 0
    done = {label.key: label.bucket for label in labelling.labels}
    for line, row in _rows(path):
        filled = {name: row.get(name, "").strip() for name in TO_FILL_IN}
        if not any(filled.values()):
            empty += 1
            continue
        try:
            key = row.get("question", "").strip().removeprefix("'"), _number(row.get("epoch") or "0")
            values: dict[str, Any] = {name: text.lower() for name, text in filled.items() if text}
            values |= {name: _number(filled[name]) for name in _NUMBERS if filled[name]}
            label = checked(values | {"comment": filled["comment"]})
        except UsageError as error:
            problems.append(f"line {line}: {error}")
            continue
        if key not in labelling.keys:
            problems.append(f"line {line}: {key[0]!r}, epoch {key[1]}, is not an answer of the sample")
        elif done.get(key, label.bucket) != label.bucket:
            problems.append(f"line {line}: {key[0]} is already labelled {done[key]}")
        elif key not in done:
            given.append((*key, label))
            done[key] = label.bucket
    if problems:
        more = f"; and {len(problems) - _NAMED} more" if len(problems) > _NAMED else ""
        help_text = "fix these lines, then repeat the command"
        raise UsageError(f"{path}: {'; '.join(problems[:_NAMED])}{more}", help=help_text)
    for question, epoch, label in given:
        labelling.save(question, label, epoch)
    return len(given), empty


def _rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    with disk(path, "read"):
        content = path.read_bytes()
    try:
        text = decode(content)[0]
    except ValueError as error:
        raise UsageError(f"{path} is not a table: {error}") from error
    reader = csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""), dialect="excel-tab")
    names = ", ".join(reader.fieldnames or ())
    missing = [name for name in ("question", "bucket") if name not in (reader.fieldnames or ())]
    if missing:
        message = f"{path} has no column {missing[0]!r}, only {names[:120]}" if names else f"{path} is empty"
        raise UsageError(message, help="ragharness label RUN --tsv FILE writes one")
    for row in reader:
        yield reader.line_num, {name: value for name, value in row.items() if isinstance(value, str)}


def _number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise UsageError(f"{text[:40]!r} is not a number") from None


def _texts(shown: list[Shown]) -> str:
    """Texts with their names, gold evidence between double angle quotes."""
    return " || ".join(
        f"[{each.name}] " + "".join(f"«{piece.text}»" if piece.gold else piece.text for piece in each.text)
        for each in shown
    )


def _cell(text: str) -> str:
    """Text on one line that no spreadsheet takes for a formula."""
    flat = " ".join(text.split())[:_LONGEST]
    return f"'{flat}" if flat.startswith(("=", "+", "-", "@")) else flat
