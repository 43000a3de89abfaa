"""A server that sends a request on to another one: that one is not asked, as nobody was told that texts go there.

The page says which address texts are sent to; a redirect would take them, and perhaps a key, to wherever it says.
"""

from __future__ import annotations

import httpx
import httpx2

from models.errors import ModelError


def check(response: httpx2.Response | httpx.Response) -> None:
    """A client's hook for responses. Raises ModelError for a redirect to another server; https for http is the same one."""
    if not response.has_redirect_location:
        return
    here = httpx2.URL(str(response.request.url))
    there = here.join(response.headers["location"])
    if not _same_server(here, there):
        raise ModelError(
            f"{_origin(here)} sends requests on to {_origin(there)}, which is not asked: nothing was sent there. "
            "If that is the server you mean, set base_url to its address.",
            code="redirected",
        )


async def check_later(response: httpx2.Response) -> None:
    """As `check`, for asynchronous clients."""
    check(response)


def _same_server(here: httpx2.URL, there: httpx2.URL) -> bool:
    if here.host != there.host:
        return False
    upgraded = (here.scheme, there.scheme) == ("http", "https") and here.port is None and there.port is None
    return upgraded or (here.scheme, here.port) == (there.scheme, there.port)


def _origin(url: httpx2.URL) -> str:
    port = f":{url.port}" if url.port else ""
    return f"{url.scheme}://{url.host}{port}"
