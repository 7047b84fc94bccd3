"""Who is let in at the virtual table: the head of a request is judged here, before anything is answered.

The library `websockets` has read it by then: a plain request without a body, in few and short lines. It looks at no
Host, and knows the origins of a server only where they are one fixed list; so both are judged here.
"""

from __future__ import annotations

import hmac
import ipaddress
import re
from collections.abc import Set
from dataclasses import dataclass
from urllib.parse import parse_qs

from websockets.http11 import Request

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::[0-9]{1,5})?", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Door:
    """What is asked of a visitor.

    `paths`: those that exist. `socket_path`: the one of them that moves cards. `token`: the secret that the socket's
    query must carry, which the program shows to its user; None: no secret. `names`: the names beside those of loopback
    under which the table may be asked for, in lower case; None: any name, because only the network knows its names.
    """

    paths: Set[str]
    socket_path: str
    token: str | None = None
    names: Set[str] | None = frozenset()


@dataclass(frozen=True, slots=True)
class TurnedAway:
    """The HTTP status and the sentence that a visitor gets who is not let in."""

    status: int
    text: str


def admit(request: Request, door: Door) -> TurnedAway | None:
    """Judge a request. None: the visitor may come in."""
    if request.method not in ("GET", "HEAD"):
        return TurnedAway(405, "The table answers GET only.")
    hosts, origins = request.headers.get_all("Host"), request.headers.get_all("Origin")
    if len(hosts) > 1 or len(origins) > 1:
        return TurnedAway(400, "A request names its host and its origin once.")
    if not hosts or not _is_known(hosts[0], door.names):
        return TurnedAway(
            403,
            "This table is not known under that name. Open the address that tacocat printed; or, if the table is "
            "reached under another name on purpose, start it with --allow-host NAME.",
        )
    # a page of another port of this machine is another origin; https: there may be a proxy before us
    if origins and origins[0] not in (f"http://{hosts[0]}", f"https://{hosts[0]}"):
        return TurnedAway(403, "A page of another origin may not touch this table.")
    return _judge_target(request, bool(origins), door)


def _judge_target(request: Request, from_a_page: bool, door: Door) -> TurnedAway | None:
    path, _, query = request.path.partition("?")
    if path not in door.paths:
        return TurnedAway(404, "There is nothing here. The table is at /")
    if path == door.socket_path:
        if request.method != "GET":
            return TurnedAway(405, "The table's socket is opened with GET only.")
        if door.token is not None and not _has_token(query, door.token):
            return TurnedAway(401, "The token is missing or wrong: open the address that tacocat printed.")
        if not from_a_page and "Upgrade" in request.headers:  # without it nothing is opened: the page asks why
            return TurnedAway(403, "Only the table's own page may move its cards, and a browser sends its origin.")
    return None


def _is_known(host: str, names: Set[str] | None) -> bool:
    """Whether a Host header names this table, on whatever port: one that was forwarded has another number.

    A page of somebody else can make its own name stand for this machine (DNS rebinding), but not one of these names.
    """
    found = _HOST.fullmatch(host)
    if found is None:
        return False
    name = found[1].lower().removesuffix(".")
    return names is None or name.strip("[]") in names or is_loopback(name.strip("[]"))


def is_loopback(name: str) -> bool:
    """Whether a name or address without brackets always stands for this machine (RFC 6761, 6.3)."""
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost" or name.endswith(".localhost")


def _has_token(query: str, token: str) -> bool:
    try:
        given = parse_qs(query, max_num_fields=4).get("token", [""])[0]
    except ValueError:
        return False
    return hmac.compare_digest(given.encode("utf-8", "replace"), token.encode())
