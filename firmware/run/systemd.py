"""What systemd is told: that the table is ready, what it does, that it still lives, that it stops; to switch off.

sd_notify(3) without a library: one datagram to the socket that NOTIFY_SOCKET names. `Feeder` decides (pure) when
the watchdog may be fed, `Notifier` is the socket, and `Lifeline` puts both into the loop. Where there is no systemd,
all of it does nothing.
"""

from __future__ import annotations

import logging
import os
import socket
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from firmware.files.disk import why
from hardware.ports import Clock

LOG = logging.getLogger("tacocat")
OFF_S = 10.0  # for systemctl to take the order to switch off


@dataclass(frozen=True, slots=True)
class Feeder:
    """Says when the watchdog may be fed: only when everything has moved since it was fed last.

    `interval_ms` is the least time between two feedings, `fed_ms` the time of the last one, and `seen` what every
    counter of life showed then. A counter that was not there then counts from 0.
    """

    interval_ms: int
    fed_ms: int
    seen: Mapping[str, int] = field(default_factory=dict)

    def is_due(self, now_ms: int, counts: Mapping[str, int]) -> bool:
        """Whether the interval is over and every counter of `counts` (name to rounds made) has moved in it."""
        if now_ms - self.fed_ms < self.interval_ms:
            return False
        return not self.stuck(counts)

    def stuck(self, counts: Mapping[str, int]) -> frozenset[str]:
        """The names of those that have not moved since the last feeding."""
        return frozenset(name for name, count in counts.items() if count == self.seen.get(name, 0))

    def fed(self, now_ms: int, counts: Mapping[str, int]) -> Feeder:
        return replace(self, fed_ms=now_ms, seen=dict(counts))


def watchdog_interval_ms(environ: Mapping[str, str], pid: int) -> int | None:
    """The time between two feedings that systemd's WATCHDOG_USEC asks for; None if it asks for none.

    A quarter of the time after which the program is given up (sd_watchdog_enabled(3) advises a half): one feeding
    can follow just after something has frozen, and that one comes within the first half too, however late the turn.
    """
    if environ.get("WATCHDOG_PID", str(pid)) != str(pid):
        return None  # meant for the process that started us
    try:
        limit_us = int(environ.get("WATCHDOG_USEC", ""))
    except ValueError:
        return None
    return max(limit_us // 4000, 1) if limit_us > 0 else None


class Notifier:
    """The socket of the service manager. It never blocks, and never raises for what happens to the socket.

    `address` is the value of NOTIFY_SOCKET: a path, or a name in the abstract namespace behind an `@`. None, or a
    kind of address that is not known here: nothing is ever sent. Close it when done; closing twice is allowed.
    """

    def __init__(self, address: str | None) -> None:
        self._address = _socket_address(address)
        self._socket: socket.socket | None = None
        self._unsent: dict[str, str] = {}  # the newest value of each; sent as soon as the socket takes it
        self._complained = False
        if self._address is not None:
            self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
            self._socket.setblocking(False)

    @property
    def is_open(self) -> bool:
        return self._socket is not None

    def ready(self, status: str) -> None:
        """The start is over: READY=1, with a status (see `status`)."""
        self._unsent["READY"] = "1"
        self.status(status)

    def status(self, text: str) -> None:
        """One line for `systemctl status`; line breaks become blanks."""
        self._unsent["STATUS"] = " ".join(text.split())
        self.flush()

    def stopping(self) -> None:
        """The end has begun: STOPPING=1."""
        self._unsent["STOPPING"] = "1"
        self.flush()

    def feed_watchdog(self) -> bool:
        """WATCHDOG=1. Returns whether it was sent; it is not kept for later, as it tells of this moment only."""
        return self._send("WATCHDOG=1")

    def flush(self) -> None:
        """Send what the socket did not take before."""
        if self._unsent and self._send("\n".join(f"{key}={value}" for key, value in self._unsent.items())):
            self._unsent.clear()

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _send(self, text: str) -> bool:
        if self._socket is None or self._address is None:
            return False
        try:
            self._socket.sendto(text.encode(), self._address)
        except BlockingIOError:
            return False  # its queue is full: the next turn tries again
        except OSError as error:
            if not self._complained:
                LOG.warning("systemd could not be told %r: %s", text, why(error), extra={"kind": "systemd"})
            self._complained = True
            return False
        self._complained = False
        return True


def _socket_address(address: str | None) -> str | None:
    if not address:
        return None
    if address.startswith("@") and len(address) > 1:
        return "\0" + address[1:]
    if address.startswith("/"):
        return address
    LOG.warning("NOTIFY_SOCKET is %r; known here are a path and a name behind @. systemd is told nothing", address)
    return None


class Lifeline:
    """The loop's line to systemd: call `turn` once in every turn of the loop, from the loop's own thread.

    The pollers that have to live too are added with `watch`, and taken away with `forget` when they are closed.
    Nothing is fed between two calls of `turn`, whatever other threads do.
    """

    def __init__(self, notifier: Notifier, interval_ms: int | None, clock: Clock) -> None:
        self._notifier, self._clock = notifier, clock
        self._feeder = None if interval_ms is None else Feeder(interval_ms, clock.now_ms())
        self._pollers: dict[str, Callable[[], int]] = {}

    @classmethod
    def from_environment(cls, clock: Clock, environ: Mapping[str, str] = os.environ) -> Lifeline:
        """As systemd's NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID say. `clock`: that of the machine."""
        return cls(Notifier(environ.get("NOTIFY_SOCKET")), watchdog_interval_ms(environ, os.getpid()), clock)

    def watch(self, name: str, rounds: Callable[[], int]) -> None:
        """From now on the watchdog is only fed while `rounds` grows too."""
        self._pollers[name] = rounds
        if self._feeder is not None:  # one that had this name before has counted other rounds
            self._feeder = replace(self._feeder, seen={**self._feeder.seen, name: 0})

    def forget(self, name: str) -> None:
        self._pollers.pop(name, None)

    def ready(self, status: str) -> None:
        """See `Notifier.ready`. The watchdog's time begins now."""
        self._notifier.ready(status)

    def status(self, text: str) -> None:
        self._notifier.status(text)

    def turn(self) -> None:
        """The loop has turned: feed the watchdog if it is time and every poller has made a round."""
        self._notifier.flush()
        if self._feeder is None:
            return
        now_ms = self._clock.now_ms()
        counts = {name: rounds() for name, rounds in self._pollers.items()}
        if self._feeder.is_due(now_ms, counts) and self._notifier.feed_watchdog():
            self._feeder = self._feeder.fed(now_ms, counts)

    def stopping(self) -> None:
        self._notifier.stopping()

    def close(self) -> None:
        self._notifier.close()


def switch_off() -> None:
    """As a service we may not: a file in our runtime folder asks for it (see systemd/tacocat-off.path).

    Raises OSError or SubprocessError if that cannot be asked for.
    """
    if folder := os.environ.get("RUNTIME_DIRECTORY"):
        (Path(folder) / "switch-off").touch()
    else:
        done = subprocess.run(
            ["systemctl", "poweroff"], stderr=subprocess.PIPE, errors="replace", timeout=OFF_S, check=False
        )
        if done.returncode:
            LOG.error("systemctl poweroff: %s", done.stderr.strip() or f"it ends with {done.returncode}")
