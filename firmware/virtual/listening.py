"""Where the virtual table's page is served, and to whom."""

from __future__ import annotations

from dataclasses import dataclass

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class Listening:
    """Where the page is served, and to whom.

    `host`: an address or name of this machine; "0.0.0.0", "::" or "" stand for all its networks (of IPv4, IPv6, both).
    `port` 0 takes any free one. `names`: more names for the table, as a proxy or a forwarded port gives it one.
    `shared`: others may use this machine, so that the token is asked for on loopback as well.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    names: tuple[str, ...] = ()
    shared: bool = False

    @property
    def on_loopback(self) -> bool:
        return self.host in _LOOPBACK
