"""The readers, looked at together: version, self-test, transmitter, field, and a card that is put down.

The readers go on as they were: after a check the pads read cards without being opened anew.
"""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from engine.events import format_uid
from firmware.check import remedies
from firmware.check.parts import ROUND_MS, Bench
from firmware.table.findings import Row, fault, ok, skipped
from firmware.wiring.parts import pads_of
from hardware.ports import HardwareError, Health, PartState
from hardware.rc522 import Mute, Reader, ReaderError, RegistersLost, Stuck
from hardware.rc522_self_test import self_test

READY_MS = 2_500  # a reader that was away is tried again within 1.6 s
WATCH_MS = 400  # how long a reader must stay as it is
FIELD_MS = 600
CARD_MS = 20_000
RAW_ROUNDS, RAW_POLLS = 3, 3
SELF_SET = {0x11: 0x3D, 0x15: 0x40, 0x2A: 0x80, 0x2B: 0x3F}  # Mode, TxASK, TMode, TPrescaler: see rc522_chip
# What the transmitter and the receiver cannot be without, and what the datasheet (MFRC522 rev. 3.9, 9.3.2 and 9.3.3)
# gives after a reset. Copies of the chip may have other values, but never 0.
NEVER_ZERO = {
    0x14: ("TxControlReg", 0x80),
    0x16: ("TxSelReg", 0x10),
    0x17: ("RxSelReg", 0x84),
    0x18: ("RxThresholdReg", 0x84),
    0x26: ("RFCfgReg", 0x48),
    0x27: ("GsNReg", 0x88),
    0x28: ("CWGsPReg", 0x20),
}
_TX_CONTROL, _ANTENNA = 0x14, 0x03


@dataclass
class _Watch:
    """What was seen while the pads were polled."""

    connected: set[str] = field(default_factory=set)
    trouble: dict[str, PartState] = field(default_factory=dict)  # the first of each reader that had worked before

    def see(self, event: object) -> None:
        if not isinstance(event, PartState):
            return
        name = event.part.removeprefix("pad ")
        if name in self.connected:
            self.trouble.setdefault(name, event)
        elif event.health is Health.CONNECTED:
            self.connected.add(name)


def part(pad: str) -> str:
    return f"pad {pad}"


def probe_pads(bench: Bench, skip: Mapping[str, str]) -> list[Row]:
    """One row for each pad. `skip`: pads that cannot be looked at, with the reason."""
    names = [name for name in pads_of(bench.system.config) if name not in skip]
    watch = _Watch({name for name in names if bench.parts.pads.state(name) is Health.CONNECTED})

    def all_connected() -> bool:
        _poll(bench, watch)
        return watch.connected.issuperset(names)

    bench.until(all_connected, READY_MS)
    rows = {name: skipped(part(name), reason) for name, reason in skip.items()}
    for name in names:
        rows[name] = _look_inside(bench, name, watch)
    _poll_for(bench, watch, WATCH_MS)
    for name in names:
        if bench.ask is not None and not rows[name].remedy and name not in watch.trouble:
            rows[name] = _ask_card(bench, name, watch, rows[name].found)
    for name in names:
        if name in watch.trouble:
            rows[name] = _unsteady(bench, name, watch.trouble[name])
    return [rows[name] for name in pads_of(bench.system.config)]


def _poll(bench: Bench, watch: _Watch) -> None:
    for event in bench.parts.pads.poll(bench.now_ms):
        watch.see(event)
    bench.system.pause_ms(ROUND_MS)


def _poll_for(bench: Bench, watch: _Watch, ms: int) -> None:
    end_ms = bench.now_ms + ms
    while bench.now_ms < end_ms:
        _poll(bench, watch)


# ---- one reader, without a card ------------------------------------------------------------


def _look_inside(bench: Bench, name: str, watch: _Watch) -> Row:
    if f"reset {name}" in bench.broken:
        gpio = pads_of(bench.system.config)[name].reset
        assert gpio is not None
        remedy = remedies.pin_in_use(f"reset in [pads.{bench.side(name)}]", gpio)
        return fault(part(name), bench.broken[f"reset {name}"], remedy)
    reader = bench.parts.pads.reader(name)
    if reader is None:
        return _reader_fault(bench, name, bench.parts.pads.fault(name))
    try:
        note = _self_test(bench, reader)
        _poll_for(bench, watch, WATCH_MS)
        found = _registers(reader)
        if found is None and not _field_comes_on(bench, reader, watch):
            found = "its antenna driver (TxControlReg 0x14) does not stay on"
    except (HardwareError, OSError) as error:
        return _reader_fault(bench, name, error)
    if found is not None:
        return fault(part(name), found, remedies.reader_broken(name))
    return ok(part(name), f"MFRC522, version 0x{reader.version:02X}{note}, settings kept, antenna on")


def _self_test(bench: Bench, reader: Reader) -> str:
    """Run the chip's own test. Copies of the chip fail it and read cards all the same, so this is only a note."""
    was_on = bool(reader.Read_MFRC522(_TX_CONTROL) & _ANTENNA)
    passed = self_test(reader)
    if bench.system.config.pads.one_antenna:  # whose turn it is, only the pads know: leave it as it was
        reader.switch_field(was_on)
    return {True: ", self-test passed", False: ", a copy that fails the self-test", None: ""}[passed]


def _registers(reader: Reader) -> str | None:
    """What is wrong with the registers, or None."""
    for register, value in SELF_SET.items():
        held = reader.Read_MFRC522(register)
        if held != value:
            return f"register 0x{register:02X} holds 0x{held:02X}; it was set to 0x{value:02X}"
    for register, (name, usual) in NEVER_ZERO.items():
        if reader.Read_MFRC522(register) == 0:
            return (
                f"register 0x{register:02X} {name} stays 0 after a reset (0x{usual:02X} is in the datasheet): "
                "its antenna gives no field, or hears nothing"
            )
    return None


def _field_comes_on(bench: Bench, reader: Reader, watch: _Watch) -> bool:
    """Whether both antenna drivers are seen on; with one antenna at a time that may take some rounds."""

    def on() -> bool:
        if reader.Read_MFRC522(_TX_CONTROL) & _ANTENNA == _ANTENNA:
            return True
        _poll(bench, watch)
        return False

    return bench.until(on, FIELD_MS)


def _reader_fault(bench: Bench, name: str, error: Exception | None) -> Row:
    wiring = pads_of(bench.system.config)[name]
    match error:
        case Mute():
            remedy = remedies.reader_wires(name, wiring)
        case Stuck():
            remedy = remedies.reader_garbles(name, bench.side(name), wiring)
        case RegistersLost():
            remedy = remedies.reader_supply(name)
        case OSError(errno=errno.EACCES | errno.EPERM) if "spi" in bench.system.groups or bench.system.is_root:
            remedy = remedies.device_closed(f"/dev/spidev{wiring.spi_bus}.{wiring.chip_select}", "spi")
        case OSError(errno=errno.EACCES | errno.EPERM):
            remedy = remedies.join_groups(bench.system.user, ["spi"], (), bench.system.listed)
        case OSError(errno=errno.ENOENT | errno.ENODEV | errno.ENXIO):
            remedy = remedies.switch_on_spi([(wiring.spi_bus, wiring.chip_select)])
        case ReaderError() if not bench.system.has_module("spidev"):
            remedy = remedies.install_module("spidev")
        case OSError():
            remedy = remedies.bus_fails("SPI", "reader")
        case _:
            remedy = remedies.reader_wires(name, wiring)
    return fault(part(name), str(error or "it has not answered"), remedy)


def _unsteady(bench: Bench, name: str, trouble: PartState) -> Row:
    """The row of a reader that had worked. One that was set up again at once had lost its registers, so its supply."""
    error = bench.parts.pads.fault(name)
    if trouble.health is not Health.CONNECTED and error is not None:
        return _reader_fault(bench, name, error)
    return fault(part(name), f"it worked, and then: {trouble.detail}", remedies.reader_supply(name))


# ---- with a card ---------------------------------------------------------------------------


def _ask_card(bench: Bench, name: str, watch: _Watch, found: str) -> Row:
    pads = bench.parts.pads
    (other,) = (pad for pad in pads_of(bench.system.config) if pad != name)
    lay_there = set(pads.cards(other))
    read_here = set(pads.cards(name))
    if not read_here:
        bench.say(f"Lay one card on the pad of {name.upper()} ({CARD_MS // 1000} s).")

    def read() -> bool:
        _poll(bench, watch)
        read_here.update(pads.cards(name))
        return bool(read_here or set(pads.cards(other)) - lay_there)

    came = bench.until(read, CARD_MS)
    _poll_for(bench, watch, WATCH_MS)
    read_here.update(pads.cards(name))
    error, both = pads.fault(name), _read_by_both(bench, name)
    if error is not None:
        return _reader_fault(bench, name, error)
    if both:
        return fault(part(name), f"both readers read the card {_names(both)}", remedies.READERS_TOO_NEAR)
    if not came:
        found = f"{found}; no card was read within {CARD_MS // 1000} s"
        return fault(part(name), found, remedies.reader_reads_nothing(name))
    if not read_here:
        return fault(
            part(name),
            f"the card was read by the reader of {other.upper()}",
            remedies.readers_swapped(bench.side(name), bench.side(other)),
        )
    return ok(part(name), f"{found}, read {_names(read_here)}")


def _read_by_both(bench: Bench, name: str) -> set[bytes]:
    """Cards that this reader and another one read. The pads would let such a card lie on one of them only."""
    seen: dict[str, set[bytes]] = {pad: set() for pad in pads_of(bench.system.config)}
    for _ in range(RAW_ROUNDS):
        for pad, uids in seen.items():
            reader = bench.parts.pads.reader(pad)
            if reader is not None:
                # a reader that fails now fails at the next round of the pads again, and is told there
                with contextlib.suppress(HardwareError, OSError):
                    for _ in range(RAW_POLLS):  # a card that the other one left selected does not answer at once
                        uids.update(reader.inventory())
        bench.system.pause_ms(ROUND_MS)
    return seen[name] & {uid for pad, uids in seen.items() if pad != name for uid in uids}


def _names(uids: Collection[bytes]) -> str:
    return ", ".join(sorted(map(format_uid, uids)))
