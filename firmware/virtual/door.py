"""Who is let in at the virtual table: the head of a request is read here, before the web server sees it.

microdot reads a request's head without a limit on time, size or number of lines and prints a traceback for one it
cannot parse. So nothing but a plain GET or HEAD of a known path, without a body, from a page of our own, goes on to it.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Set
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

MAX_HEAD_BYTES = 8192
MAX_HEADERS = 64

_REQUEST_LINE = re.compile(rb"([A-Z]{1,16}) (/[!-~]{0,1000}) HTTP/1\.[01]")
# no blanks around the value here: looking for them from three sides takes cubic time
_HEADER = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}):([\t -~]*)")
_NEEDED = ("host", "connection", "upgrade", "sec-websocket-key")
_LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True, slots=True)
class Door:
    """What is asked of a visitor.

    `port`: the port this server listens on. `paths`: those that exist. `socket_path`: the one of them that moves cards.
    `token`: None on loopback; else the secret that the socket's query must carry, which the program shows to its user.
    """

    port: int
    paths: Set[str]
    socket_path: str
    token: str | None = None


@dataclass(frozen=True, slots=True)
class TurnedAway:
    """The HTTP status and the sentence that a visitor gets who is not let in."""

    status: int
    text: str


def admit(head: bytes, door: Door) -> TurnedAway | None:
    """Judge the head of a request (up to and including the empty line). None: the visitor may come in."""
    lines = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    request = _REQUEST_LINE.fullmatch(lines[0])
    if request is None or len(lines) > MAX_HEADERS:
        return TurnedAway(400, "This is no request that the table understands.")
    headers: dict[str, str] = {}
    for line in lines[1:]:
        header = _HEADER.fullmatch(line)
        name = header[1].decode().lower() if header else ""
        if header is None or name in headers:
            return TurnedAway(400, "A header of this request is malformed or given twice.")
        headers[name] = header[2].decode().strip(" \t")
    if request[1] not in (b"GET", b"HEAD"):
        return TurnedAway(405, "The table answers GET only.")
    if "transfer-encoding" in headers or headers.get("content-length", "0") != "0":
        return TurnedAway(413, "The table takes no request with a body.")
    return _judge_target(request[1], request[2].decode(), headers, door)


def what_is_needed(head: bytes) -> bytes:
    """An admitted head as the web server gets it: no query (the token), and only the headers that it acts upon.

    microdot prints a traceback for a cookie without a value or a query with a stray percent sign.
    """
    request, *lines = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    method, target, version = request.split(b" ")
    kept = [line for line in lines if line.partition(b":")[0].decode().lower() in _NEEDED]
    return b"\r\n".join([b" ".join((method, target.partition(b"?")[0], version)), *kept, b"", b""])


def _judge_target(method: bytes, target: str, headers: dict[str, str], door: Door) -> TurnedAway | None:
    host = headers.get("host", "")
    if not _is_ours(host, door):
        return TurnedAway(403, "This table is not known under that name: open the address that tacocat printed.")
    origin = headers.get("origin")
    if origin is not None and origin != f"http://{host}":
        return TurnedAway(403, "A page of another origin may not touch this table.")
    path, _, query = target.partition("?")
    if path not in door.paths:
        return TurnedAway(404, "There is nothing here. The table is at /")
    if path == door.socket_path:
        if method != b"GET":
            return TurnedAway(405, "The table's socket is opened with GET only.")
        if origin is None:
            return TurnedAway(403, "Only the table's own page may move its cards, and a browser sends its origin.")
        if door.token is not None and not _has_token(query, door.token):
            return TurnedAway(403, "The token is missing or wrong: open the address that tacocat printed.")
    return None


def _is_ours(host: str, door: Door) -> bool:
    """Whether the Host header names this server: on loopback by its own names only, which stops DNS rebinding."""
    if door.token is not None:  # reached over the network, under names that only the network knows
        try:
            parts = urlsplit(f"//{host}")
            return bool(parts.hostname) and (parts.port or 80) == door.port
        except ValueError:
            return False
    return host in {f"{name}:{door.port}" for name in _LOOPBACK_NAMES} or (door.port == 80 and host in _LOOPBACK_NAMES)


def _has_token(query: str, token: str) -> bool:
    try:
        given = parse_qs(query, max_num_fields=4).get("token", [""])[0]
    except ValueError:
        return False
    return hmac.compare_digest(given.encode("utf-8", "replace"), token.encode())
