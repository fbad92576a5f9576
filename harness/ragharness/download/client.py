"""The client that speaks to servers for a corpus, and the error for one that gives no answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.errors import CorpusUnavailable
from ragharness.privacy import public

if TYPE_CHECKING:
    import httpx

CONNECT_SECONDS = 10.0
READ_SECONDS = 30.0
"""How long a server may be silent."""


def new_client(headers: dict[str, str]) -> httpx.Client:
    """Return a client that follows redirects and does not wait for ever; raises CorpusUnavailable."""
    import httpx

    timeout = httpx.Timeout(READ_SECONDS, connect=CONNECT_SECONDS)
    try:
        return httpx.Client(follow_redirects=True, timeout=timeout, headers=headers)
    except (ImportError, ValueError) as error:
        raise CorpusUnavailable(f"the proxy settings of the environment do not work: {error}") from error


def unreachable(url: str, error: Exception) -> CorpusUnavailable:
    """Return the error for a server that gives no answer at all."""
    reason = str(error) or type(error).__name__
    return CorpusUnavailable(
        f"cannot reach {public(url)}: {reason}",
        help="check the network, or --from PATH|URL names a copy that you have",
    )
