"""The host's end of the link to the strip, without the port: which frame to send next, what an answer means.

`Session` is fed with bytes and asked for bytes; it neither waits nor opens anything. docs/protocol.md has the messages.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from hardware import frames
from hardware.pictures import describe
from hardware.ports import Colour, HardwareError, Picture

ERRORS = {
    frames.E_UNKNOWN_KIND: "it does not know this kind of message",
    frames.E_MALFORMED: "the message is too short, too long or not in its form",
    frames.E_NOT_SET_UP: "it has not been told how many LEDs it has",
    frames.E_LEDS: f"the number of LEDs is not 1 to {frames.MAX_LEDS}",
    frames.E_COLOUR_ORDER: "the colour order is not the letters R, G and B in some order",
    frames.E_BUDGET: "the current budget does not reach for the LEDs when they are dark (1 mA each)",
    frames.E_STALE: "the message is older than the last one",
    frames.E_OTHER_LEDS: "the picture is for another number of LEDs",
    frames.E_BEYOND_STRIP: "an effect reaches beyond the end of the strip",
    frames.E_TOO_MANY: f"more than {frames.MAX_EFFECTS} effects or {frames.MAX_STOPS} stops",
    frames.E_TIMING: "an effect with a period of 0",
}


class LinkError(HardwareError):
    """The link cannot be used; the message says why, in words for the table's owner."""


class NotOurStripError(LinkError):
    """What is at this port is not our strip, or one that this program cannot talk to."""


@dataclass(frozen=True, slots=True)
class FoundPort:
    """A port behind which the strip may be: its path, what the system says about it, and its USB serial number."""

    path: str
    description: str = ""
    serial: str = ""


@dataclass(frozen=True, slots=True)
class Timing:
    """How long the host waits, in milliseconds. (The defaults are for a real Pico or a process on this machine.)"""

    hello_ms: int = 1000  # for the answer to a hello
    answer_ms: int = 250  # for any other answer, before the frame is sent again
    tries: int = 4  # sendings of a frame before the strip counts as lost
    ping_ms: int = 1000  # the longest silence of the host
    search_ms: int = 500  # between two looks for ports
    not_ours_ms: int = 1500  # before a port that did not answer is tried again; doubled each time, up to
    not_ours_most_ms: int = 12000


@dataclass(frozen=True, slots=True)
class Setup:
    """The strip as it was built: 1 to 300 LEDs, the order of their channels, the current that may flow (mA).

    Raises ValueError (as HardwareError too) for what the strip would refuse.
    """

    leds: int = 64
    colour_order: str = "GRB"
    budget_ma: int = 400

    def __post_init__(self) -> None:
        if not 1 <= self.leds <= frames.MAX_LEDS:
            raise SetupError(f"{self.leds} LEDs; expected 1 to {frames.MAX_LEDS}")
        if sorted(self.colour_order) != sorted("RGB"):
            raise SetupError(f"colour order {self.colour_order!r}; expected R, G and B in some order, such as GRB")
        if not self.leds < self.budget_ma <= 65535:
            raise SetupError(
                f"a budget of {self.budget_ma} mA; expected more than the {self.leds} mA"
                f" that {self.leds} dark LEDs draw, and at most 65535"
            )

    def payload(self) -> bytes:
        return struct.pack("<H3sH", self.leds, self.colour_order.encode("ascii"), self.budget_ma)


class SetupError(HardwareError, ValueError):
    """A strip that cannot be."""


@dataclass(frozen=True, slots=True)
class Who:
    """The answer to a hello. `leds` is 0 before the strip was set up; `damaged` counts frames thrown away."""

    version: int
    leds: int
    budget_ma: int
    damaged: int


@dataclass(frozen=True, slots=True)
class Target:
    """What the strip is to show: a picture, or None to go dark. A higher number is newer; 0 is no target yet."""

    number: int = 0
    picture: Picture | None = None


@dataclass(slots=True)
class _Asked:
    kind: int
    seq: int
    frame: bytes
    at_ms: int
    times: int = 1
    target: int = 0


def parse_who(payload: bytes) -> Who:
    """Read the answer to a hello. Raises NotOurStripError if it is not that of a strip of ours."""
    n = len(frames.NAME)
    if payload[:n] != frames.NAME or len(payload) < n + 8:
        raise NotOurStripError("it answers, but is no tacocat strip")
    return Who(*struct.unpack_from("<4H", payload, n))


class Session:
    """One conversation with one strip, from hello on: one frame under way at a time.

    `want` says what to show; `feed` takes what came; `next_frame` gives what to send.
    All times are `now_ms` of one clock.
    """

    def __init__(self, setup: Setup, timing: Timing, reverse: bool = False) -> None:
        self.ready = False  # hello and setup are done
        self.who: Who | None = None
        self.shown = 0  # the number of the newest target that the strip has acknowledged
        self.refusal = ""  # why it refused the last picture
        self.lit: tuple[Colour, ...] | None = None  # the answer to `ask_lit`
        self._setup, self._timing, self._reverse = setup, timing, reverse
        self._parser = frames.Parser()
        self._target = Target()
        self._ask_lit = False
        self._asked: _Asked | None = None
        self._seq = 0
        self._sent_ms: int | None = None

    def want(self, target: Target) -> None:
        self._target = target

    def ask_lit(self) -> None:
        """Ask the strip what is lit; the answer comes in `lit`."""
        self.lit = None
        self._ask_lit = True

    def due_ms(self, now_ms: int) -> int:
        """In how many milliseconds `next_frame` has something to do, if nothing happens before."""
        if self._asked is not None:
            wait_ms = self._timing.answer_ms if self.who else self._timing.hello_ms
            return max(0, self._asked.at_ms + wait_ms - now_ms)
        if not self.ready or self._target.number > self.shown or self._ask_lit or self._sent_ms is None:
            return 0
        return max(0, self._sent_ms + self._timing.ping_ms - now_ms)

    def next_frame(self, now_ms: int) -> bytes | None:
        """The bytes to send now, if any. Raises LinkError if the strip has been silent too long."""
        if self.due_ms(now_ms) > 0:
            return None
        asked = self._asked
        if asked is None:
            return self._ask_next(now_ms)
        if self.who is None:
            raise NotOurStripError(
                f"no answer to the hello within {self._timing.hello_ms / 1000:g} s: either no strip,"
                " or a Pico without our program (`tacocat flash` puts it there)"
            )
        if asked.times >= self._timing.tries:
            raise LinkError(f"the strip has not answered {asked.times} times")
        if asked.target and asked.target < self._target.number:  # the newest wins
            times = asked.times
            frame = self._ask_next(now_ms)
            assert self._asked is not None
            self._asked.times = times + 1
            return frame
        asked.times += 1
        asked.at_ms = self._sent_ms = now_ms
        return asked.frame

    def _ask_next(self, now_ms: int) -> bytes:
        if self.who is None:
            return self._ask(frames.HELLO, frames.HELLO_PAYLOAD, now_ms)
        if not self.ready:
            return self._ask(frames.SETUP, self._setup.payload(), now_ms)
        target = self._target
        if target.number > self.shown:
            if target.picture is None:
                return self._ask(frames.NIGHT, b"", now_ms, target.number)
            payload = describe(target.picture, self._setup.leds, now_ms, self._reverse)
            return self._ask(frames.SHOW, payload, now_ms, target.number)
        if self._ask_lit:
            return self._ask(frames.READ, b"", now_ms)
        return self._ask(frames.PING, b"", now_ms)

    def _ask(self, kind: int, payload: bytes, now_ms: int, target: int = 0) -> bytes:
        self._seq = (self._seq + 1) % 256
        seq = frames.HELLO_SEQ if kind == frames.HELLO else self._seq
        frame = frames.encode(kind, seq, payload)
        self._asked = _Asked(kind, seq, frame, now_ms, target=target)
        self._sent_ms = now_ms
        return frame

    def feed(self, data: bytes) -> None:
        """Take what came from the port. Raises NotOurStripError or LinkError if the conversation cannot go on."""
        for kind, seq, payload in self._parser.feed(data):
            asked = self._asked
            if asked is None or seq != asked.seq:
                continue  # late, or not for us
            if kind == asked.kind | frames.ANSWER:
                self._asked = None
                self._heed(asked, payload)
            elif kind == frames.ERROR and len(payload) == 2 and payload[1] == asked.kind:
                self._asked = None
                self._heed_error(asked, payload[0])

    def _heed(self, asked: _Asked, payload: bytes) -> None:
        if asked.kind == frames.HELLO:
            who = parse_who(payload)
            if who.version != frames.VERSION:
                raise NotOurStripError(
                    f"the strip's program is version {who.version}, not {frames.VERSION}: run `tacocat flash`"
                )
            self.who = who
        elif asked.kind == frames.SETUP:
            self.ready = True
        elif asked.target:
            self.shown = asked.target
            self.refusal = ""
        elif asked.kind == frames.READ:
            self._ask_lit = False
            self.lit = tuple((payload[i], payload[i + 1], payload[i + 2]) for i in range(0, len(payload) - 2, 3))

    def _heed_error(self, asked: _Asked, error: int) -> None:
        words = f"error {error}: {ERRORS.get(error, 'unknown to this program')}"
        if error == frames.E_NOT_SET_UP:  # it has restarted
            self.ready = False
            self.shown = 0
        elif error == frames.E_STALE:  # somebody else has talked to it: begin anew
            self.who = None
            self.ready = False
            self.shown = 0
        elif asked.target:
            self.shown = asked.target
            self.refusal = words
        elif asked.kind == frames.READ:
            self._ask_lit = False
        else:
            raise LinkError(f"the strip refuses its setup, {words}")
