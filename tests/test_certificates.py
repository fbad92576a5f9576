"""Services whose certificate is not trusted: one sentence and no call repeated, unless the user trusts it."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest

from answering import Answering, Asked, Reply
from commands import process

PEM = Path(__file__).with_name("self_signed.pem")
KEPT = {"NO_PROXY": "127.0.0.1", "OPENAI_API_KEY": "sk-planted"}


def reply(asked: Asked) -> Reply:
    text = "I could not find it in the documents."
    message = {"role": "assistant", "content": text}
    chat = {"choices": [{"message": message, "finish_reason": "stop"}], "usage": {}}
    return Reply(chat if "chat" in asked.path else {"text": text})


class Encrypted(Answering):
    """A server with a certificate that it signed itself; counts who connects."""

    def __init__(self) -> None:
        super().__init__(reply)
        self.connections = 0
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(PEM)
        context.sni_callback = self._count
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)

    def _count(self, *handshake: object) -> None:
        self.connections += 1


def command(kind: str, server: Encrypted) -> list[str]:
    address = f"https://{server.host}"
    chosen = {
        "http": ["--pipeline", f"{address}/ask"],
        "llm": ["--pipeline", "llm", "--model", "m-1", "--base-url", f"{address}/v1"],
    }[kind]
    return ["run", "--size", "13", "--concurrency", "2", *chosen]


@pytest.mark.parametrize("kind", ["http", "llm"])
def test_a_certificate_that_nobody_trusts_ends_the_run_in_a_sentence(tmp_path: Path, kind: str) -> None:
    with Encrypted() as server:
        done = process(tmp_path, *command(kind, server), **KEPT)
        told = f"error: the TLS certificate of https://{server.host}/"
        assert (done.returncode, done.stdout, server.asked) == (3, "", [])
        assert done.stderr.startswith(told), done.stderr
        assert "is not trusted: self" in done.stderr
        assert "; 0 of 13 are answered and kept in runs/" in done.stderr
        assert "help:  name the certificate of its authority: export SSL_CERT_FILE=" in done.stderr
        assert done.stderr.count("\n") == 2
        assert 1 <= server.connections <= 2  # one for each question that was on its way


@pytest.mark.parametrize("kind", ["http", "llm"])
def test_a_certificate_that_the_user_trusts_will_do(tmp_path: Path, kind: str) -> None:
    with Encrypted() as server:
        done = process(tmp_path, *command(kind, server), SSL_CERT_FILE=str(PEM), **KEPT)
        assert done.returncode == 0, done.stderr
        assert "13 graded" in done.stdout
        assert len(server.asked) >= 13


def test_a_file_of_authorities_that_is_not_there_is_named(tmp_path: Path) -> None:
    with Encrypted() as server:
        done = process(tmp_path, *command("http", server), SSL_CERT_FILE="/no/such.pem", **KEPT)
        assert done.returncode == 3
        assert done.stderr.startswith("error: cannot read certificates from /no/such.pem (SSL_CERT_FILE): ")
        assert "Traceback" not in done.stderr
