"""The LED strip behind a Pico on USB, kept showing the newest picture by a thread of its own.

The strip is found by its USB ids and its hello, opened exclusively, found again under whatever name; nothing here ever
makes the caller wait for it.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import select
import termios
import threading
from collections.abc import Callable, Iterable, Sequence

import serial
from serial.tools import list_ports
from serial.tools.list_ports_common import ListPortInfo

from hardware.link import FoundPort, LinkError, NotOurStripError, Session, Setup, Target, Timing
from hardware.nodes import group_of, owner_of
from hardware.pictures import describe, later
from hardware.ports import Clock, Colour, Health, PartState, Picture, SystemClock
from hardware.threads import start_thread

PICO_USB_IDS = ((0x2E8A, 0x0005),)  # Raspberry Pi's number, and its for MicroPython on an RP2040
PART = "strip"
_CHUNK = 4096
_LOOKS = 3  # at the list of ports, while devices come and go
_STUCK_MS = 1000  # a port that takes no byte for this long is given up
_CLOSE_MS = 800  # for the last picture, or the order to go dark, to get through
# What a port raises when its device is gone: SerialException is an OSError, termios.error is not.
_PORT_ERRORS = (OSError, termios.error)
_WHERE = "USB 2E8A:0005"

Wait = Callable[[Sequence[int], Sequence[int], float], object]


def find_picos(usb_ids: Iterable[tuple[int, int]] = PICO_USB_IDS) -> list[FoundPort]:
    """The serial ports of this machine whose USB vendor and product ids are among `usb_ids`."""
    wanted = set(usb_ids)
    return [
        FoundPort(p.device, f"{p.description} {p.serial_number or ''}".strip(), p.serial_number or "")
        for p in sorted(_serial_ports(), key=lambda p: p.device)
        if (p.vid, p.pid) in wanted
    ]


def _serial_ports() -> list[ListPortInfo]:
    """What pyserial lists. It trips over a device that goes while it is read; then it is asked again."""
    for _ in range(_LOOKS):
        with contextlib.suppress(TypeError, ValueError):  # int(None), int("")
            return list(list_ports.comports())
    return []  # the next search finds what is there by then


def open_exclusively(path: str) -> serial.Serial:
    """Open a serial port for this program alone; neither reading nor writing will wait.

    Raises LinkError, in words, if it cannot be opened.
    """
    try:
        port = serial.Serial(path, baudrate=115200, timeout=0, write_timeout=0, exclusive=True)
    except _PORT_ERRORS as error:  # SerialException is one; others, if it is unplugged in the middle of it
        raise LinkError(_why_not(path, error)) from error
    with contextlib.suppress(*_PORT_ERRORS):
        fcntl.ioctl(port.fileno(), termios.TIOCEXCL)  # keeps out programs that look for no lock
    return port


def let_go(port: serial.Serial) -> None:
    """Close a port that `open_exclusively` opened, whatever has become of it; waits for nothing."""
    for step in (
        port.reset_output_buffer,  # else closing waits for a strip that reads no more
        lambda: fcntl.ioctl(port.fileno(), termios.TIOCNXCL),
        port.close,
    ):
        with contextlib.suppress(*_PORT_ERRORS):
            step()


def _why_not(path: str, error: Exception) -> str:
    number, text = _number_and_text(error)
    if number in (errno.EACCES, errno.EPERM):
        return f"may not open {path}: it belongs to {owner_of(path)}{_how_to_get_it(group_of(path))}"
    if number in (errno.EBUSY, errno.EAGAIN, errno.EWOULDBLOCK):
        return f"{path} is in use by another program (a second tacocat, or a modem manager); it is tried again"
    return f"cannot open {path}: {text}"


def _number_and_text(error: Exception) -> tuple[int | None, str]:
    """The errno and the words of what a port raised. termios gives both as its arguments; pyserial hides the errno."""
    for fault in (error, error.__context__):
        if isinstance(fault, OSError) and fault.errno is not None:
            return fault.errno, str(error)
        if isinstance(fault, termios.error) and len(fault.args) == 2:
            return int(fault.args[0]), str(fault.args[1])
    return None, str(error)


def _how_to_get_it(group: str | None) -> str:
    if group is None:
        return ", as no udev rule gives it to a group: `sudo make install` brings the rule, then plug it in anew"
    return f". Run `sudo usermod -aG {group} $USER`, log out and in again"


def select_wait(reading: Sequence[int], writing: Sequence[int], timeout_s: float) -> object:
    return select.select(reading, writing, [], timeout_s)


class PicoStrip:
    """The strip (a `ports.Strip`): `show` and `go_dark` return at once, the newest wins.

    `find_ports` is asked for the ports that may be it; `clock` is that of the pictures and of what is told; `leds` (1
    to 300), `colour_order` and `budget_ma` are the strip's; `reverse` turns pictures end for end. `serial_number`: that
    of its Pico on USB (in any case of letters), if another one's port is not even to be opened. `on_change` is
    called (in the thread of the strip) with every new PartState of the part "strip". The link waits in real time, as
    the Pico does, whatever clock the table goes by: `link_clock`. `open_port` opens a path, `wait` waits for file
    descriptors: tests put their own there, leave `start` False and call `turn` themselves. Raises SetupError for a
    strip that cannot be.
    """

    def __init__(
        self,
        find_ports: Callable[[], Iterable[FoundPort]],
        clock: Clock,
        leds: int = 64,
        reverse: bool = False,
        colour_order: str = "GRB",
        budget_ma: int = 400,
        *,
        serial_number: str | None = None,
        on_change: Callable[[PartState], None] | None = None,
        timing: Timing | None = None,
        link_clock: Clock | None = None,
        open_port: Callable[[str], serial.Serial] = open_exclusively,
        wait: Wait = select_wait,
        start: bool = True,
    ) -> None:
        self.setup = Setup(leds, colour_order, budget_ma)
        self._find_ports, self._reverse, self._serial = find_ports, reverse, serial_number
        self._others = ""  # what to say of other Picos that might be meant
        self._clock, self._link_clock = clock, link_clock or SystemClock()
        self._timing = timing or Timing()
        self._on_change, self._open_port, self._wait = on_change, open_port, wait
        self._lock = threading.Condition()
        self._target = Target()
        self._state = PartState(PART, Health.SEARCHING, f"looking for a Pico ({_WHERE})", clock.now_ms())
        self._port: serial.Serial | None = None
        self._session: Session | None = None
        self._path = ""
        self._unsent = b""
        self._moved_ms = 0  # when the port last took a byte
        self._search_ms: int | None = None  # when to look for ports next
        self._not_ours: dict[str, tuple[int, int]] = {}  # path: not before, and the pause after that
        self._ours: set[str] = set()  # ports behind which the strip was, as long as they are there
        self._read_wanted = False
        self._lit: tuple[Colour, ...] | None = None
        self._closing_ms: int | None = None
        self._closed = False
        self._wake_r, self._wake_w = os.pipe()
        os.set_blocking(self._wake_r, False)
        os.set_blocking(self._wake_w, False)
        self._thread: threading.Thread | None = None
        if start:
            self.start()

    # -- for the loop ------------------------------------------------------------------------------

    def start(self) -> None:
        """Start the thread (the constructor does, unless told not to)."""
        if self._thread is None:
            self._thread = start_thread(self._run, PART)

    def show(self, picture: Picture) -> None:
        """Show this from now on. Raises PictureError if it is not for this strip."""
        now_ms = self._clock.now_ms()
        describe(picture, self.setup.leds, now_ms)
        self._aim_at(later(picture, self._link_clock.now_ms() - now_ms))

    def go_dark(self) -> None:
        """Dark, and no pulse afterwards, until the next `show`."""
        self._aim_at(None)

    def state(self) -> PartState:
        with self._lock:
            return self._state

    def read_back(self, timeout_s: float = 1.0) -> tuple[Colour, ...] | None:
        """Ask the strip what is lit and wait for it (for `check`, not for the game); None if no answer comes.

        The colours are after the current limit, in the order of the pictures.
        """
        with self._lock:
            self._read_wanted, self._lit = True, None
            self._wake()
            self._lock.wait_for(lambda: self._lit is not None, timeout_s)
            lit = self._lit
        return lit[::-1] if lit is not None and self._reverse else lit

    def wait_shown(self, timeout_s: float = 2.0) -> bool:
        """Wait until the strip has acknowledged the newest picture (for tests and `check`); False if it does not."""
        with self._lock:
            return self._lock.wait_for(self._is_shown, timeout_s)

    def close(self) -> None:
        """Let the newest picture, or the order to go dark, get through (at most 0.8 s), then close the port."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._closing_ms = self._link_clock.now_ms()
            self._wake()
        if self._thread is not None:
            self._thread.join(2 * _CLOSE_MS / 1000)
        else:
            self._let_go()
        if self._thread is None or not self._thread.is_alive():
            os.close(self._wake_r)
            os.close(self._wake_w)

    def __enter__(self) -> PicoStrip:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _aim_at(self, picture: Picture | None) -> None:
        with self._lock:
            if self._closed:
                return
            self._target = Target(self._target.number + 1, picture)
            self._wake()

    def _is_shown(self) -> bool:
        session = self._session
        return session is not None and session.ready and session.shown >= self._target.number

    def _wake(self) -> None:
        with contextlib.suppress(BlockingIOError):  # full: it will wake anyway
            os.write(self._wake_w, b"!")

    # -- the thread --------------------------------------------------------------------------------

    def _run(self) -> None:
        while self._turn_and_rest():
            pass
        self._let_go()

    def _turn_and_rest(self) -> bool:
        """One turn, and the wait after it; whether there is another. Raises nothing: a dead thread is not seen."""
        try:
            wait_ms = self.turn()
            if self._closing_ms is not None:
                left_ms = self._closing_ms + _CLOSE_MS - self._link_clock.now_ms()
                if left_ms <= 0 or self._port is None or self._is_shown():
                    return False
                wait_ms = min(wait_ms, left_ms)
            self.rest(wait_ms)
        except Exception as error:  # noqa: BLE001 (outermost)
            self._lose(f"a fault of this program: {error!r}", self._link_clock.now_ms())
            self._search_ms = self._link_clock.now_ms() + self._timing.search_ms
            self._wait((), (), self._timing.search_ms / 1000)
            return self._closing_ms is None
        return True

    def rest(self, wait_ms: int) -> None:
        """Wait until the port or a caller has something, at most `wait_ms`."""
        reading = [self._wake_r]
        writing = []
        if self._port is not None:
            reading.append(self._port.fileno())
            if self._unsent:
                writing.append(self._port.fileno())
        self._wait(reading, writing, wait_ms / 1000)
        with contextlib.suppress(BlockingIOError):
            os.read(self._wake_r, _CHUNK)

    def turn(self) -> int:
        """Do what there is to do now, without waiting; return in how many ms to come again if nothing happens."""
        now_ms = self._link_clock.now_ms()
        if self._port is None and (self._search_ms is None or now_ms >= self._search_ms):
            self._search(now_ms)
        if self._port is None:
            assert self._search_ms is not None
            return self._search_ms - now_ms
        try:
            return self._talk(now_ms)
        except NotOurStripError as error:
            self._avoid(now_ms)
            self._lose(f"{self._path}: {error}", now_ms)
        except LinkError as error:
            self._lose(f"{self._path}: {error}", now_ms)
        except _PORT_ERRORS as error:
            self._lose(f"{self._path} is gone: {error}", now_ms)
        return 0

    def _search(self, now_ms: int) -> None:
        self._search_ms = now_ms + self._timing.search_ms
        try:
            found = list(self._find_ports())
        except OSError as error:
            self._tell(self._missing(), f"cannot look for ports: {error}")
            return
        others = ", ".join(f"{p.path} ({p.serial or 'no serial number'})" for p in found)
        self._others = f"; there are {len(found)} Picos: {others}" if self._serial is None and len(found) > 1 else ""
        if self._serial is not None:
            found = [p for p in found if p.serial.lower() == self._serial.lower()]
        paths = {p.path for p in found}
        self._not_ours = {path: pause for path, pause in self._not_ours.items() if path in paths}
        self._ours &= paths
        faults = []
        for path in (p.path for p in found):
            if path in self._not_ours and now_ms < self._not_ours[path][0]:
                continue
            try:
                self._port = self._open_port(path)
            except LinkError as error:
                faults.append(str(error))
                continue
            self._path, self._unsent, self._moved_ms = path, b"", now_ms
            self._session = Session(self.setup, self._timing, self._reverse)
            return
        if faults:
            self._tell(self._missing(), "; ".join(faults))
        elif not found:
            named = f" with the serial number {self._serial}" if self._serial is not None else ""
            instead = f"; there is {others}" if others else ""
            self._tell(self._missing(), f"no Pico ({_WHERE}){named} is plugged in{instead}")

    def _talk(self, now_ms: int) -> int:
        port, session = self._port, self._session
        assert port is not None
        assert session is not None
        data = port.read(_CHUNK) if select.select([port.fileno()], [], [], 0)[0] else b""
        was_ready, was_refused = session.ready, session.refusal
        session.feed(data)
        with self._lock:
            session.want(self._target)
            if self._read_wanted and session.ready:
                self._read_wanted = False
                session.ask_lit()
            self._lit = session.lit
            self._lock.notify_all()
        if session.ready and (not was_ready or session.refusal != was_refused):
            self._ours.add(self._path)
            self._not_ours.pop(self._path, None)
            detail = f"{self._path}, {self.setup.leds} LEDs{self._others}"
            if session.refusal:
                detail += f"; it refused a picture, {session.refusal}"
            self._tell(Health.CONNECTED, detail)
        if not self._unsent:
            self._unsent = session.next_frame(now_ms) or b""
            self._moved_ms = now_ms
        self._flush(port, now_ms)
        return self._moved_ms + _STUCK_MS - now_ms if self._unsent else session.due_ms(now_ms)

    def _flush(self, port: serial.Serial, now_ms: int) -> None:
        """Give the port what it takes now. (pyserial would spin on a full one: so it is asked first.)"""
        while self._unsent and select.select([], [port.fileno()], [], 0)[1]:
            taken = port.write(self._unsent)
            if not taken:
                break
            self._unsent = self._unsent[taken:]
            self._moved_ms = now_ms
        if self._unsent and now_ms - self._moved_ms >= _STUCK_MS:
            raise LinkError(f"nobody takes what is sent, for {_STUCK_MS / 1000:g} s")

    def _avoid(self, now_ms: int) -> None:
        """Leave a port alone for a while; longer each time if the strip was never there."""
        _, pause_ms = self._not_ours.get(self._path, (0, self._timing.not_ours_ms))
        next_ms = pause_ms if self._path in self._ours else min(2 * pause_ms, self._timing.not_ours_most_ms)
        self._not_ours[self._path] = (now_ms + pause_ms, next_ms)

    def _missing(self) -> Health:
        """How to call it while it is not there: lost if it ever was."""
        return Health.SEARCHING if self._state.health is Health.SEARCHING else Health.LOST

    def _lose(self, detail: str, now_ms: int) -> None:
        self._let_go()
        self._search_ms = now_ms  # at once: it may have come back under another name
        self._tell(self._missing(), detail)

    def _let_go(self) -> None:
        port, self._port, self._session, self._unsent = self._port, None, None, b""
        if port is not None:
            let_go(port)

    def _tell(self, health: Health, detail: str) -> None:
        if (health, detail) == (self._state.health, self._state.detail):
            return
        with self._lock:
            self._state = state = PartState(PART, health, detail, self._clock.now_ms())
            self._lock.notify_all()
        if self._on_change is not None:
            self._on_change(state)
