"""Under which addresses the virtual table's page is found, and who must show a token."""

from __future__ import annotations

import fcntl
import functools
import ipaddress
import os
import pwd
import secrets
import socket
import struct
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from firmware.virtual.listening import Listening

_FAMILIES = {"0.0.0.0": (socket.AF_INET,), "::": (socket.AF_INET6,), "": (socket.AF_INET, socket.AF_INET6)}
# Addresses that belong to nobody (RFC 5737, RFC 3849): asked only which way leads to them, never written to.
_FAR_AWAY = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}
_NO_LOGIN = ("nologin", "false", "sync", "shutdown", "halt", "")
_FIRST_PERSON = 500  # accounts below are the system's own (Debian begins at 1000, macOS at 501)


def token_of(listening: Listening) -> str | None:
    """The secret that a window must bring along; None if whoever can reach the page may use it."""
    return None if listening.on_loopback and not listening.shared else token_of_this_run()


@functools.cache
def token_of_this_run() -> str:
    """128 bits of chance. The same for each table that a run of the program opens: pages that are open come back."""
    return secrets.token_urlsafe(16)


def urls(listening: Listening) -> tuple[str, ...]:
    """The addresses of the page, the best one first. The token stands behind the #: browsers send that to nobody."""
    hosts = _reachable(_FAMILIES[listening.host]) if listening.host in _FAMILIES else (listening.host,)
    token = token_of(listening)
    query = f"#token={token}" if token else ""
    return tuple(f"http://{f'[{host}]' if ':' in host else host}:{listening.port}/{query}" for host in hosts)


def _reachable(families: Iterable[socket.AddressFamily]) -> tuple[str, ...]:
    """The addresses under which others in this machine's networks find it: the one of the way out first."""
    found: dict[str, None] = {}
    for family in families:
        for address in (way_out(family), *networks(family)):
            if address and not _is_of_no_use(address):
                found[address] = None
    return tuple(found) or tuple("127.0.0.1" if family == socket.AF_INET else "::1" for family in families)


def _is_of_no_use(address: str) -> bool:
    """Whether others cannot reach this address, or their browsers cannot be given it (the zone of fe80::)."""
    ip = ipaddress.ip_address(address)
    return ip.is_loopback or ip.is_unspecified or (ip.version == 6 and ip.is_link_local)


def way_out(family: socket.AddressFamily) -> str | None:
    """This machine's address on the way to the rest of the world. Nothing is sent."""
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as sock:
            sock.connect((_FAR_AWAY[family], 9))
            return str(sock.getsockname()[0])
    except OSError:
        return None


def networks(family: socket.AddressFamily) -> Iterator[str]:
    """The addresses of this machine's networks; none elsewhere than on Linux: Python's library has no call for them."""
    if sys.platform != "linux":
        return
    if family == socket.AF_INET6:
        with suppress(OSError):
            for line in Path("/proc/net/if_inet6").read_text(encoding="ascii").splitlines():
                yield str(ipaddress.IPv6Address(bytes.fromhex(line.split()[0])))
        return
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        for _, name in socket.if_nameindex():
            with suppress(OSError):  # a network without an address
                asked = struct.pack("256s", name.encode()[:15])
                answer = fcntl.ioctl(sock, 0x8915, asked)  # SIOCGIFADDR, see netdevice(7)
                yield socket.inet_ntoa(answer[20:24])


def others_may_log_in(accounts: Iterable[pwd.struct_passwd] | None = None, own_uid: int | None = None) -> bool:
    """Whether somebody else than us and root has an account here. Where the accounts are not listed: yes."""
    own_uid = os.getuid() if own_uid is None else own_uid
    people = {
        account.pw_uid
        for account in (pwd.getpwall() if accounts is None else accounts)
        if account.pw_uid >= _FIRST_PERSON and account.pw_shell.rpartition("/")[2] not in _NO_LOGIN
    }
    return own_uid not in people | {0} or bool(people - {own_uid})
