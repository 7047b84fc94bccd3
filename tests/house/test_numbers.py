"""A number that documents or two programs repeat is the same everywhere: each is compared with where it is defined."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from engine.board import DEFAULT_BOARD
from engine.cards import DEFAULT_DECK, MAX_COPIES
from engine.players import strong
from engine.players.levels import level_named
from firmware.check import at_table, host, parts, terminal
from firmware.check import pads as check_pads
from firmware.commands.replay import MAX_LINE_BYTES
from firmware.config import values
from firmware.config.values import Config
from firmware.files import disk
from firmware.kept import writer
from firmware.run import app
from firmware.table import howto, state
from firmware.views import notes, pages, scene
from firmware.wiring.parts import PICO_PROGRAM
from hardware import controls, frames, link, oled, pads, pictures, presence, presses, rc522
from tests.support.places import ROOT

KINDS = {name: getattr(frames, name) for name in ("HELLO", "SETUP", "SHOW", "READ", "PING", "NIGHT", "PROMPT")}
ERRORS = sorted(number for name, number in vars(frames).items() if name.startswith("E_"))
WORDS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 10: "ten"}


def constants(path: Path) -> dict[str, int]:
    """The whole numbers that a module of the Pico's program defines; it runs under MicroPython only."""
    found: dict[str, int] = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, int):
            found |= {target.id: node.value.value for target in node.targets if isinstance(target, ast.Name)}
    return found


PICO, PICO_SCENE, PICO_STRIP = (constants(PICO_PROGRAM / f"{name}.py") for name in ("main", "scene", "strip"))


UNIT = dict(re.findall(r"^(\w+)=(\d+)$", (ROOT / "systemd" / "tacocat.service").read_text("utf-8"), re.MULTILINE))


def seconds(ms: int) -> str:
    """As a text has it: 2 s, 0.4 s."""
    return f"{ms / 1000:g} s"


CONFIG, TIMING = Config(), link.Timing()
MAX_LEDS, BUDGET_MA = frames.MAX_LEDS, CONFIG.track.budget_ma
FULL_WHITE_MA = 3 * PICO_STRIP["CHANNEL_MA"] * CONFIG.track.leds

PROTOCOL = (
    *(f"| `{chr(kind)}` 0x{kind:02X} | {name} |" for name, kind in KINDS.items()),
    f"ERROR (0x{frames.ERROR:02X})",
    f"fixed sequence number 0x{frames.HELLO_SEQ:02X}",
    f"the text `{frames.HELLO_PAYLOAD.decode()}`",
    f"the text `{frames.NAME.decode()}`",
    f"| 0 to {frames.MAX_PAYLOAD} | payload |",
    f"LEDs (2 bytes, 1 to {MAX_LEDS})",
    f"anything else is *stale* (error {frames.E_STALE})",
    f"| {frames.E_LEDS} | a number of LEDs other than 1 to {MAX_LEDS} |",
    f"| {frames.E_BUDGET} | a budget that does not reach for the LEDs when they are dark "
    f"({PICO_STRIP['IDLE_MA']} mA each)",
    f"| {frames.E_TOO_MANY} | more than {frames.MAX_EFFECTS} effects or {frames.MAX_STOPS} stops |",
    f"number of effects, at most {frames.MAX_EFFECTS} |",
    f"| {frames.EFFECT_BYTES} each | the effects",
    f"at most {frames.MAX_STOPS} stops in all effects",
    f"if *c* is 1 to {pictures._PALETTE}:",
    f"kind: {pictures._BREATHE} breathe, {pictures._RUN} run, {pictures._FLASH} flash, {pictures._GLIDE} glide; "
    f"{pictures._WAITING} added",
    f"sends the same bytes again after {TIMING.answer_ms} ms",
    f"after {WORDS[TIMING.tries]} times it takes the strip for lost",
    f"pings when it has said nothing for {seconds(TIMING.ping_ms)}",
    f"After {seconds(PICO['QUIET_MS'])} without a frame",
    f"breathes slowly (every {seconds(PICO['PULSE_MS'])})",
    f"**Watchdog**: {seconds(PICO['WATCHDOG_MS'])}.",
    f"draws {1000 // PICO['MOVING_MS']} frames a second",
    f"at 255 counts as {PICO_STRIP['CHANNEL_MA']} mA, each LED as {PICO_STRIP['IDLE_MA']} mA when dark",
    f"({BUDGET_MA} mA until the setup says",
    f"data pin GPIO {PICO_STRIP['DATA_PIN']}",
)
DEVICE = (
    f"which cards lie on it, up to {rc522.MAX_CARDS}.",
    f"has lain there for {presence.SETTLE_MS} ms is *placed*",
    f"has been missing for {presence.LIFT_MS} ms is *lifted*",
    f"that come within {state.GROUP_MS} ms are a group",
    f"for {state.IGNORE_MS} ms after a trick or a duel nothing counts",
    f"that goal flashes {state.FLASHES} times",
    f"no word from the Pi for {seconds(PICO['QUIET_MS'])} ",
    f"for {seconds(state.NOTICE_MS)}, why something was rejected",
    f"stay large for {seconds(pages.REVEAL_MS)}",
    f"After {scene.DIM_AFTER_MS // 60_000} minutes without an event",
    f"A press of up to {seconds(presses.SHORT_MS)} is ok",
    f"after {seconds(presses.UNDO_MS)} the press is undo",
    f"held for {seconds(presses.MENU_MS)} open the game menu",
    f"less than {presses.BOUNCE_MS} ms makes no second press",
    f"ok counts again after {seconds(state.OVER_PAUSE_MS)}",
    f"how to play (a page each {seconds(howto.PAGE_MS)})",
)
PADS = (
    f"*Placed*: seen for {presence.SETTLE_MS} ms, in {WORDS[presence.POLLS_TO_PLACE]} polls or more; "
    f"{WORDS[presence.FORGIVEN_POLLS]} lost poll is forgiven",
    f"*Lifted*: missing for {presence.LIFT_MS} ms, in {WORDS[presence.POLLS_TO_LIFT]} polls or more",
    f"*Several cards*: for {presence.CROWD_MS} ms, or for `settle_ms` if that is longer",
    f"Until it has been over for {presence.LIFT_MS} ms",
    f"a pause of {pads.PAUSE_MS} ms",
)
EXAMPLE = (
    f"reader: {values.MIN_SPEED_HZ} to {values.MAX_SPEED_HZ}.",
    f"all LEDs of the strip, 1 to {MAX_LEDS}:",
    f"in milliampere: {values.MIN_BUDGET_MA} to {values.POWER_MA['usb']} from USB",
    f"to {values.POWER_MA['own']} from its own supply",
    *(f"0x{address:02X}" for address in values.ADDRESSES),
)
BUILDING = (
    f"WS2812B strip, 5 V | {CONFIG.track.leds} LEDs",
    f"13.56 MHz | {len(DEFAULT_DECK.cards)} and a few spare",
    f"Full white would take {FULL_WHITE_MA / 1000:.1f} A.",
    f"`budget_ma` ({BUDGET_MA} mA at first)",
    f"tells up to {WORDS[rc522.MAX_CARDS]} cards on one pad apart",
    f"Pico GP{PICO_STRIP['DATA_PIN']} (pin 21)",
)
BENCHMARKS = (
    f"the pads are polled every {pads.PAUSE_MS} ms",
    f"By default a card has to lie still for {presence.SETTLE_MS} ms",
    f"a card waits {state.GROUP_MS} ms",
)
PORTS = (
    f"short, up to {seconds(presses.SHORT_MS)}",
    f"held for {seconds(presses.UNDO_MS)}",
    f"both held for {seconds(presses.MENU_MS)}",
    f"Sent once at {seconds(presses.SHORT_MS)}",
    f"missing for {presence.LIFT_MS} ms of consecutive polls",
)
PRESENCE = (
    f"seen for {presence.SETTLE_MS} ms, in {WORDS[presence.POLLS_TO_PLACE]} polls or more; "
    f"{WORDS[presence.FORGIVEN_POLLS]} poll without it",
    f"missing for {presence.LIFT_MS} ms, in {WORDS[presence.POLLS_TO_LIFT]} polls or more",
    f"told apart, for {presence.CROWD_MS} ms: *crowded*",
    f"for {presence.LIFT_MS} ms.",
)
CHECK = (
    f"Every question ends after {seconds(terminal.ANSWER_MS)}, a card is waited for {seconds(check_pads.CARD_MS)}, "
    f"a press {seconds(parts.PRESS_MS)}.",
    f"{host.LEAST_FREE_MB} MB are free",
)
PLAYERS = (
    f"at most {strong.MOST_HANDS}, at least {strong.LEAST_HANDS}.",
    f"rises, over {strong.STRONG_DRAWS} draws",
    f"now and then ({WORDS[round(10 * level_named('good').slips)]} and {WORDS[round(10 * level_named('gentle').slips)]}"
    f" decisions of ten)",
)
SYMPTOMS = (
    f"is tried again every {UNIT['RestartSec']} seconds",
    f"has heard nothing from the Pi for {seconds(PICO['QUIET_MS'])} |",
    f"longer than a short press, less than {seconds(presses.UNDO_MS)} |",
    f"nobody has played for {WORDS[scene.DIM_AFTER_MS // 60_000]} minutes",
)
RULES = (
    f"1 to {MAX_COPIES} cards of a rank",
    f"one 12: {len(DEFAULT_DECK.cards)} cards",
    f"hand sizes, spaces 1 to 7 | {' '.join(map(str, DEFAULT_BOARD.hand_sizes))} |",
    f"arrows, spaces 1 to 7 | {' '.join(DEFAULT_BOARD.arrows)} |",
)
SAID = {
    "docs/check.md": CHECK,
    "docs/on-a-pi.md": (f"Does {UNIT['WatchdogSec']} s of watchdog suffice",),
    "docs/players.md": PLAYERS,
    "docs/troubleshooting.md": SYMPTOMS,
    "docs/rules.md": RULES,
    "docs/transcript.md": (f"1 to {MAX_COPIES} copies", f"more than {MAX_LINE_BYTES // 1024} KiB"),
    "docs/files.md": (
        f"mode 0{disk.NEW_SECRET:o} or less, the folder 0{disk.NEW_FOLDER:o}",
        f"every {WORDS[round(writer.RETRY_S)]} seconds",
    ),
    "docs/protocol.md": PROTOCOL,
    "docs/device.md": DEVICE,
    "docs/pads.md": PADS,
    "docs/benchmarks.md": BENCHMARKS,
    "table.example.toml": EXAMPLE,
    "hardware/README.md": BUILDING,
    "hardware/wiring.yml": (f"subtype: {CONFIG.track.leds} LEDs", f"GP{PICO_STRIP['DATA_PIN']},"),
    "firmware/cli.py": (f"(default {CONFIG.virtual.port})",),
    "docs/security.md": (f"http://127.0.0.1:{CONFIG.virtual.port}/",),
    "hardware/ports.py": PORTS,
    "hardware/presence.py": PRESENCE,
    "hardware/presses.py": (f"stayed open for {presses.BOUNCE_MS} ms",),
    "hardware/controls.py": (f"{controls.LOWEST_HZ} to {controls.HIGHEST_HZ} Hz: what",),
    "hardware/link.py": (f"as it was built: 1 to {MAX_LEDS} LEDs",),
}


@pytest.mark.parametrize(("document", "words"), [(name, words) for name, all_of in SAID.items() for words in all_of])
def test_a_document_says_the_number_that_the_program_has(document: str, words: str) -> None:
    text = " ".join((ROOT / document).read_text(encoding="utf-8").split())  # wherever its lines are broken
    assert words in text, f"{document} does not say {words!r}, which is what the program does"


def test_the_protocol_has_a_row_for_each_error() -> None:
    text = (ROOT / "docs/protocol.md").read_text(encoding="utf-8")
    section = text.split("\n## Errors\n")[1].split("\n## ")[0]
    assert [int(number) for number in re.findall(r"^\| (\d+) \|", section, re.MULTILINE)] == ERRORS


def test_both_ends_of_the_link_begin_with_the_strip_of_the_defaults() -> None:
    setup, track = link.Setup(), CONFIG.track
    assert (setup.leds, setup.colour_order, setup.budget_ma) == (track.leds, track.colour_order, track.budget_ma)
    on_the_pico = f'leds: int = {track.leds}, order: bytes = b"{track.colour_order}", budget_ma: int = {BUDGET_MA}'
    assert on_the_pico in (PICO_PROGRAM / "strip.py").read_text(encoding="utf-8")


def test_a_question_waits_as_long_at_the_table_as_in_a_terminal() -> None:
    assert at_table.ANSWER_MS == terminal.ANSWER_MS


def test_a_configuration_allows_as_many_leds_as_the_link() -> None:
    assert values.MAX_LEDS == MAX_LEDS


def test_both_ends_of_the_link_number_the_effects_alike() -> None:
    of_the_host = {name: getattr(pictures, f"_{name}") for name in ("BREATHE", "RUN", "GLIDE")}
    assert of_the_host.items() <= PICO_SCENE.items()
    assert {pictures._FLASH} == {1, 2, 3, 4} - {*of_the_host.values()}  # the Pico takes what is left for a flash


def test_the_host_speaks_before_the_strip_thinks_that_it_is_gone() -> None:
    assert TIMING.ping_ms + TIMING.answer_ms * TIMING.tries < PICO["QUIET_MS"]


def test_systemd_waits_longer_for_the_end_than_the_program_takes() -> None:
    assert app.STOP_S < 2 < int(UNIT["TimeoutStopSec"])


def test_a_pad_is_called_full_when_it_holds_what_its_reader_can_tell_apart() -> None:
    assert notes.FULL_PAD == rc522.MAX_CARDS


def test_the_upkeep_of_the_screen_is_as_often_as_the_benchmarks_say() -> None:
    assert oled.UPKEEP_MS == 500 and "pages each half second" in (ROOT / "docs/benchmarks.md").read_text("utf-8")
