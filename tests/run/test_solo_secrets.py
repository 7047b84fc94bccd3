"""What a whole table tells of hidden cards: they are dealt anew, and no byte of what it shows or sends is different."""

from __future__ import annotations

import logging
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from engine.board import Board
from engine.cards import PLAYERS, Card, Player
from engine.events import Kind
from engine.round import Phase
from engine.rules import Rules
from engine.verdict import Verdict
from engine.views import format_view
from firmware.run.loop import Request
from firmware.table.effects import AskHint, Record
from firmware.table.state import Decision, TableEvent
from firmware.wiring.parts import Outputs
from hardware.ports import Lifted, Placed
from tests.support.at_table import tags_of, uid_of
from tests.support.bot_host import PretendedProcess, playing
from tests.support.full_table import StrictLoop
from tests.support.solo_cuts import play_on
from tests.support.solo_evening import Habits, Machine, Person, World

RULES = Rules(board=Board((4, 3, 4, 3, 4, 3, 4), Rules().board.arrows))
CARDS = tags_of(RULES.deck)
CHILD = Habits(undo=0.06, mix=0.02, wrong=0.06, void=0.01, leave=0.02, hint=0.05)
NAMES = count()
PAIRS = 40  # as the name of the test says


@dataclass
class Seen:
    """Everything that a table shows, sounds, logs and sends, each with when, and after how much that happened."""

    shown: list[tuple[int, int, str, object]] = field(default_factory=list)
    hints: list[tuple[int, str]] = field(default_factory=list)
    sent: list[tuple[int, str]] = field(default_factory=list)
    records: list[tuple[int, Record]] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)


class Watched:
    """A table with eyes on all that leaves it."""

    def __init__(self, folder: Path) -> None:
        self.seen = Seen()
        self.process: PretendedProcess | None = None
        part: Any = self._part
        outputs = Outputs(part("strip"), part("screen"), part("lamps"), part("buzzer"))
        self.at = Machine(folder, RULES, start=self._start, loop=StrictLoop, outputs=outputs, hear=self._hear)
        self._told = 0

    def _part(self, name: str) -> object:
        watched = self

        class Part:
            def __getattr__(self, verb: str) -> Any:
                def done(thing: Any, *more: object) -> None:
                    what = thing.tobytes() if hasattr(thing, "tobytes") else repr(thing)
                    watched.note(f"{name} {verb}", (what, *more))

                return done

        return Part()

    def note(self, what: str, thing: object) -> None:
        self.seen.shown.append((self._number, self.at.clock.ms, what, thing))

    @property
    def _number(self) -> int:
        return len(self.at.happened)

    def _start(self, command: Any, clock: Any) -> PretendedProcess:
        self.process = PretendedProcess(playing("careful"), clock)
        send = self.process.send

        def heard(lines: Any) -> None:
            told = list(lines)
            self.seen.sent += [(self._number, line) for line in told]
            send(told)

        self.process.send = heard  # type: ignore[method-assign]
        return self.process

    def _hear(self, request: Request) -> None:
        if isinstance(request, Record):
            self.seen.records.append((self._number, request))
            self.seen.verdicts.append(request.verdict)
        elif isinstance(request, AskHint):
            self.seen.hints.append((self._number, format_view(request.view)))

    def logged(self, line: str) -> None:
        self.note("log", line)


@contextmanager
def watched(folder: Path) -> Iterator[Watched]:
    table = Watched(folder / f"{next(NAMES)}")
    handler = logging.Handler(1)
    handler.emit = lambda record: table.logged(record.getMessage())  # type: ignore[method-assign]
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(1)
    try:
        yield table
    finally:
        root.removeHandler(handler)
        root.setLevel(level)
        table.at.close()


def anew(event: TableEvent | None, places: dict[Card, Card]) -> TableEvent | None:
    """The same thing, with these cards in the places of those."""
    if isinstance(event, Placed | Lifted) and (card := CARDS.get(event.uid)) is not None:
        return replace(event, uid=uid_of(places.get(card, card)))
    if isinstance(event, Decision):
        return replace(event, cards=tuple(sorted(places.get(card, card) for card in event.cards)))
    return event


def open_cards(records: list[Record]) -> set[Card]:
    """The cards that somebody can have seen the faces of, in a round of which these are the events."""
    found: set[Card] = set()
    for record in records:
        state, event = record.before.round, record.event
        if pairing := record.verdict.duel or record.verdict.showdown:
            found |= {pairing.yay, pairing.wow}
        elif event.kind is Kind.CARD and event.card is not None and event.player is not None:
            face_up = state.phase in (Phase.REPLACE, Phase.ATTACK, Phase.DEFEND)
            if face_up and state.swap[event.player.seat].value != "drawing":
                found.add(event.card)
    return found


def round_of(number: int, seen: Seen) -> tuple[int, list[Record]]:
    """Where the round began in which so much had happened, and its events until then."""
    begun, records = 0, []
    for at, record in seen.records:
        if at > number:
            break
        records.append(record)
        if record.after.number != record.before.number:
            begun, records = at, []
    return begun, records


def upto(number: int, entries: list[Any]) -> list[Any]:
    return [entry for entry in entries if entry[0] <= number]


def again(folder: Path, whole: Watched, number: int, begun: int, places: dict[Card, Card], own: bool) -> Watched:
    """The same hands, with the hidden cards dealt anew; `own`: whoever plays for the table decides by itself."""
    lying: dict[bytes, dict[Card, Card]] = {}
    with watched(folder) as table:
        for n, (ms, event, decision) in enumerate(whole.at.happened[:number]):
            changed = places if n >= begun else {}
            if isinstance(event, Placed):
                lying[event.uid] = changed
            elif isinstance(event, Lifted):
                changed = lying.get(event.uid, changed)  # it may lie there since the round before
            table.at.clock.ms = ms
            if own:
                table.at.happen(anew(event, changed))
                continue
            table.at.playing.decided(ms)
            given = [one for one in (anew(event, changed), anew(decision, changed)) if one is not None]
            table.at.happened.append((ms, event, decision))
            table.at.loop.turn(given, ms)  # type: ignore[arg-type]
    return table


def hidden_from(observer: str, whole: Watched, number: int, side: Player) -> tuple[int, list[Card]]:
    """(where the round began, the cards whose faces this observer cannot know). The person's own are theirs to know."""
    begun, records = round_of(number, whole.seen)
    known = open_cards(records)
    hands = records[-1].after.round.hands if records else (frozenset(), frozenset())
    if observer == "the person":
        known |= hands[side.seat]
    if observer == "the table's player":
        known |= hands[side.other.seat]
    touched = {record.event.card for record in records} | {
        CARDS[event.uid] for _, event, _ in whole.at.happened[begun:number] if isinstance(event, Placed | Lifted)
    }
    for record in records:  # its own, also those that it has taken back
        own = side if observer == "the person" else side.other if observer == "the table's player" else None
        if own is not None and record.event.player is own and record.event.card is not None:
            known.add(record.event.card)
    return begun, [card for card in RULES.deck.cards if card not in known and (card in touched or card.copy == "a")]


@pytest.mark.parametrize("observer", ["everybody", "the person", "the table's player"])
def test_hidden_cards_dealt_anew_change_nothing_that_anybody_sees_hears_or_is_sent_in_40_pairs(
    tmp_path: Path, observer: str
) -> None:
    """Screen, strip, lamps, sounds and log; what a hint is asked of; what a bot is sent: each at the same time."""
    pairs: Counter[str] = Counter()
    for seed in range(99):
        if pairs["compared"] >= PAIRS:
            break
        chance, side = random.Random(f"{observer} {seed}"), PLAYERS[seed % 2]
        with watched(tmp_path) as whole:
            person = Person(whole.at, World(), side, random.Random(seed), CHILD)
            person.begin("good")
            play_on(person, rounds=2)
        for _ in range(8):
            number = chance.randrange(40, len(whole.at.happened))
            begun, hidden = hidden_from(observer, whole, number, side)
            places = dict(zip(hidden, chance.sample(hidden, len(hidden)), strict=True))
            other = again(tmp_path, whole, number, begun, places, own=observer == "the table's player")
            verdicts = [record.verdict for at, record in whole.seen.records if at <= number]
            if [v.problem for v in other.seen.verdicts] != [v.problem for v in verdicts]:
                pairs["told apart by the rules"] += 1
                continue
            if observer == "the table's player":
                assert other.seen.sent == upto(number, whole.seen.sent)
            else:
                assert other.seen.shown == upto(number, whole.seen.shown)
            if observer == "the person":
                assert other.seen.hints == upto(number, whole.seen.hints)
                pairs["hints"] += len(other.seen.hints)
            pairs["compared"] += 1
    assert pairs["compared"] >= PAIRS, pairs
