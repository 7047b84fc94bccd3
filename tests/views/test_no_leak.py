"""What a player cannot see is given away by nothing: not by screen, strip, lamps, sounds, log or the virtual table.

The hidden cards of a game are dealt anew, among deals that give the same verdicts; whatever can be seen or heard must
then be the same, byte for byte, after every event. Play mode above all, where the device knows both hands.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cards import PLAYERS, Card
from engine.events import Event, Kind
from engine.game import Game, judge
from engine.round import Phase, Swap
from engine.rules import Mode, Rules
from engine.verdict import Problem, Verdict
from firmware.config.values import Config
from firmware.run.advice import GameAdvice
from firmware.run.app import App, Options
from firmware.run.loop import LOG
from firmware.screen.drawing import draw
from firmware.table.effects import Name, Record, Sound
from firmware.table.menus import Item
from firmware.table.state import Remark, Stage
from firmware.views.page import Page
from firmware.views.pages import page_of
from firmware.views.sounds import MELODIES
from firmware.virtual.messages import Deal, Draw, LayPile, Move
from firmware.virtual.world import World
from firmware.words import LANGUAGES, words
from hardware.ports import Note
from tests.support.at_table import AtTable
from tests.support.engine_games import SEEDS, RandomTable
from tests.support.wide_pages import notes

GAMES, MOVES = 8, 110  # moves of one game, at most
DEALS = 12  # other deals tried for each round
Relabel = dict[Card, Card]


@dataclass(frozen=True)
class Seen:
    """All that came out of the device after one move of hands; the picture of the screen as bytes."""

    screens: tuple[bytes, ...]
    strip: str
    lamps: frozenset[str]
    dimmed: bool
    sounds: tuple[tuple[Note, ...], ...]
    log: tuple[str, ...]


@dataclass(frozen=True)
class Moved:
    """One move: what was meant, the table before it, what came of it."""

    event: Event | str
    before: AtTable
    events: tuple[Event, ...]
    seen: Seen


class Log(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


@lru_cache(maxsize=4096)
def drawn(page: Page) -> bytes:
    return draw(page).tobytes()


def snapshot(at: AtTable) -> AtTable:
    return AtTable(at.table, at.now_ms)


def perform(at: AtTable, event: Event | str, relabel: Relabel) -> Iterator[None]:
    """Do what hands would do for this event; stops wherever an eye might look."""
    match event:
        case "clear":
            at.lift_all()
            at.wait(600)
            at.ok("yay")
        case "menu":
            at.menu()
            yield
            for item in (Item.HOW_TO, Item.NAME_TAG):
                if at.table.menu is not None and item in at.table.menu.items:
                    at.take(item)
                    yield
                    at.undo("yay")
                    at.menu()
            at.menu()
        case Event(kind=Kind.CARD, player=player, card=card):
            name = str(relabel.get(card, card))
            at.put(player, name)
            yield
            at.wait(400)
            yield
            at.lift(player, name)
            at.wait(400)
        case Event(kind=Kind.TAG, player=player, uid=uid):
            at.put_tag(player, uid.hex())
            yield
            at.lift_all()
        case Event(kind=Kind.OK, player=player):
            at.ok(player)
        case Event(kind=Kind.UNDO, player=player):
            at.hold(player)
            yield
            at.undo(player)
    yield
    at.wait(300)


def do(at: AtTable, event: Event | str, relabel: Relabel, log: Log) -> Moved:
    before = snapshot(at)
    at.effects.clear()
    log.lines.clear()
    screens = [drawn(at.scene.page) for _ in perform(at, event, relabel)]
    scene = at.scene
    seen = Seen(
        (*screens, drawn(scene.page)),
        repr(scene.picture),
        scene.lamps,
        scene.dimmed,
        tuple(MELODIES[effect] for effect in at.effects if isinstance(effect, Sound)),
        tuple(log.lines),
    )
    events = tuple(effect.event for effect in at.effects if isinstance(effect, Record))
    return Moved(event, before, events, seen)


def played(rules: Rules, seed: int, log: Log) -> list[Moved]:
    """A random game at the table, with mistakes, strange tags, undos, and looks into the menu."""
    at, hands, chance = AtTable.of(rules, Stage.CLEAR), RandomTable(rules, seed), random.Random(seed)
    moves: list[Moved] = []
    while len(moves) < MOVES and at.table.stage is not Stage.OVER:
        event: Event | str
        if at.table.stage is Stage.CLEAR:
            event = "clear"
        elif chance.random() < 0.06:
            event = "menu"
        else:
            event = hands.next_event(at.table.game)
            if event.kind is Kind.VOID:
                continue
        moves.append(do(at, event, {}, log))
    return moves


def shown_by(game: Game, event: Event) -> set[Card]:
    """The cards that all have seen once this event has happened: laid down face up, or turned up with it."""
    state = game.round
    if event.card is None:
        return set()
    if game.phase in (Phase.ATTACK, Phase.DEFEND):
        return {event.card}
    if game.phase is Phase.REPLACE:
        return set() if state.swap[event.player.seat] is Swap.DRAWING else {event.card}
    if game.phase in (Phase.DUEL, Phase.SHOWDOWN):
        _, verdict = judge(game, event)
        pairing = verdict.duel or verdict.showdown
        return {pairing.yay, pairing.wow} if pairing else set()
    return set()


def verdicts_of(game: Game, events: tuple[Event, ...]) -> tuple[Game, list[Verdict]]:
    verdicts = []
    for event in events:
        game, verdict = judge(game, event)
        verdicts.append(verdict)
    return game, verdicts


def open_cards(moves: list[Moved]) -> list[set[Card]]:
    """For each move of a round, the cards that were ever open from the round's deal up to it."""
    seen: set[Card] = set()
    all_seen = []
    for move in moves:
        game = move.before.table.game
        for event in move.events:
            seen |= shown_by(game, event)
            game, _ = judge(game, event)
        # the same card may also be put down openly and be answered by the table alone
        if isinstance(move.event, Event) and move.event.card and not move.events:
            seen |= shown_by(move.before.table.game, move.event)
        all_seen.append(set(seen))
    return all_seen


def rounds_of(moves: list[Moved]) -> Iterator[list[Moved]]:
    """Moves from each deal on; what an undo has brought back from an earlier round ends one."""
    start = 0
    for index, move in enumerate([*moves, None]):
        if move is None or move.event == "clear":
            if index - start > 4:
                yield moves[start:index]
            start = index


def dealt_anew(cards: list[Card], chance: random.Random, latest: Card | None) -> Relabel:
    """Hidden cards change places: two of them, or all. `latest` is one of the two: it was laid face down just now."""
    if chance.random() < 0.6:
        first = latest or chance.choice(cards)
        cards = [first, chance.choice([card for card in cards if card is not first])]
    return (
        dict(zip(cards, chance.sample(cards, len(cards)), strict=True))
        if len(cards) > 2
        else dict(zip(cards, reversed(cards), strict=True))
    )


def cuts(moves: list[Moved], opened: list[set[Card]], chance: random.Random) -> Iterator[tuple[int, Card | None]]:
    """How much of a round is compared, and the card that was then just laid face down; such moments above all."""
    covered = [
        (index + 1, event.card)
        for index, move in enumerate(moves)
        for event in move.events
        if event.card and event.card not in opened[index] and index > 3
    ]
    played = [(length, card) for length, card in covered if moves[length - 1].before.table.game.phase is not Phase.DEAL]
    for _ in range(DEALS // 3):
        for some in (covered, played):
            if some:
                yield chance.choice(some)
        yield chance.randrange(3, len(moves) + 1), None


def compare(moves: list[Moved], relabel: Relabel, log: Log) -> int:
    """Play the round with the other deal, as long as the verdicts are the same; how many events with other cards."""
    at = snapshot(moves[0].before)
    differ = 0
    for move in moves:
        game, other_game = move.before.table.game, at.table.game
        other = do(at, move.event, relabel, log)
        assert len(other.events) == len(move.events)
        _, verdicts = verdicts_of(game, move.events)
        _, other_verdicts = verdicts_of(other_game, other.events)
        if verdicts != other_verdicts:
            break
        assert other.seen == move.seen, (move.event, relabel)
        differ += other.events != move.events
    return differ


@pytest.fixture
def log():
    handler, root = Log(), logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield handler
    root.removeHandler(handler)
    root.setLevel(level)


def test_other_hidden_cards_with_the_same_verdicts_are_seen_and_heard_by_nobody(log, capsys):
    pairs = compared = 0
    for seed in range(GAMES):
        chance = random.Random(seed)
        moves = played(Rules(mode=Mode.REFEREE if seed % 4 == 3 else Mode.PLAY), seed, log)
        for moves_of_round in rounds_of(moves):
            opened = open_cards(moves_of_round)
            for length, latest in cuts(moves_of_round, opened, chance):
                hidden = [card for card in Rules().deck.cards if card not in opened[length - 1]]
                differ = compare(moves_of_round[:length], dealt_anew(hidden, chance, latest), log)
                pairs += differ > 0
                compared += differ
    with capsys.disabled():
        print(f"\n  no leak: {pairs} pairs of deals compared, {compared} events with other cards in them")
    assert pairs > 100
    assert compared > 2 * pairs


# ---- one by one: what random games come to seldom --------------------------------------------


def drawing() -> AtTable:
    """Yay has discarded one card, and draws."""
    at = AtTable.of(Rules())
    for number in range(7):
        at.play("yay", f"{(3, 4, 5, 6, 7, 8, 9)[number]}a")
        at.play("wow", f"{(3, 4, 5, 6, 7, 8, 9)[number]}b")
        at.lift_all()
    at.play("yay", "3a")
    at.lift_all()
    at.ok("yay")
    return at


def test_a_card_of_the_other_hand_that_is_read_as_a_draw_is_not_named():
    pages = []
    for card in ("9b", "4b"):
        at = drawing()
        at.play("yay", card)
        assert at.table.told.verdict.problem is Problem.CARD_ALREADY_USED
        pages.append(at.scene.page)
    assert pages[0] == pages[1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_note_names_a_card_that_lies_face_down(language):
    at = drawing()
    say = words(language)
    for told in notes():
        completed = told.verdict is not None and told.verdict.problem is None
        if completed or told.remark in (Remark.OTHER_RANK, Remark.NAMED):
            continue  # a completed play is open; teaching and naming tell the rank that the players have just said
        for phase in (Phase.DEAL, Phase.DUEL, Phase.SHOWDOWN, Phase.REPLACE):
            pages = set()
            for card in (Card(12, "a"), Card(2, "b")):
                face_down = replace(told, at_ms=at.now_ms, card=card, phase=phase, drawing=phase is Phase.REPLACE)
                pages.add(page_of(replace(at.table, told=face_down), at.now_ms, say))
            assert len(pages) == 1, (told, phase)


def test_the_ranks_that_an_unknown_tag_can_be_given_do_not_depend_on_the_hands():
    lists = []
    for swap in ({}, {"9a": "10a"}, {"3a": "1a", "9a": "12a"}):
        at = AtTable.of(Rules())
        for number in range(3, 10):
            at.play("yay", swap.get(f"{number}a", f"{number}a"))
            at.play("wow", f"{number}b")
            at.lift_all()
        at.put_tag("yay", "04112233445566")
        at.menu()
        at.take(Item.NAME_TAG)
        lists.append(at.table.menu.items)
    assert lists[0] == lists[1] == lists[2]
    assert [int(rank) for rank in lists[0][1:]] == list(range(1, 13))


def test_the_log_says_of_a_named_tag_its_rank_alone(caplog, tmp_path, monkeypatch):
    """Which copy it becomes depends on which cards were read, and so on the hands."""
    monkeypatch.setattr(LOG, "filters", [])  # the same line again is held back for a minute
    evening = object.__new__(App)
    evening._options = Options(None, "virtual", Config(), tmp_path)
    evening._advice = GameAdvice(tmp_path, lambda: 0, lambda: None)
    lines = []
    for copy in "ab":
        caplog.clear()
        with caplog.at_level(logging.DEBUG):
            evening._do(Name(bytes.fromhex("04112233445566"), Card(7, copy), None, {}))
        lines.append(caplog.messages)
    assert lines[0] == lines[1] and "04112233445566" in lines[0][0]


# ---- the virtual table -----------------------------------------------------------------------


class Field:
    """A pad's reader that nobody reads."""

    requests = 0

    def put(self, tag: object) -> None: ...

    def lift(self, tag: object) -> None: ...


class Stacked(random.Random):
    """Shuffles a deck into the given order."""

    def __init__(self, order: list[str]) -> None:
        super().__init__(0)
        self.order = order

    def shuffle(self, x: list[str]) -> None:  # type: ignore[override]
        x[:] = self.order


def public(world: World) -> dict[str, object]:
    """The page's state of the table, but for what a hand holds or its own side has laid face down."""
    view = world.view()
    view["hands"] = {player: len(cards) for player, cards in view["hands"].items()}
    view["pads"] = {p: [name if up else "hidden" for name, up in cards] for p, cards in view["pads"].items()}
    return view


@settings(max_examples=60, deadline=None)
@given(SEEDS, st.lists(st.integers(0, 10**6), min_size=5, max_size=40))
def test_the_virtual_table_tells_nothing_of_the_pile_and_of_cards_that_lie_face_down(seed, numbers):
    deck = [str(card) for card in Rules().deck.cards]
    chance = random.Random(seed)
    order, other = chance.sample(deck, len(deck)), chance.sample(deck, len(deck))
    uids = {name: bytes((4, 1, 2, 3, 4, 5, number)) for number, name in enumerate(deck)}
    worlds = [World({p: Field() for p in PLAYERS}, uids, Stacked(names)) for names in (order, other)]
    for now_ms, number in enumerate(numbers):
        player = PLAYERS[number % 2]
        answers = []
        for world in worlds:
            hand, pad = world.cards(f"hand-{player}"), world.cards(f"pad-{player}")
            message = [
                Deal(3, tuple(map(str, PLAYERS)), False),
                Draw(f"hand-{player}"),
                LayPile(str(player)),
                Move(hand[number % len(hand)], f"pad-{player}", True) if hand else LayPile(None),
                Move(pad[number % len(pad)], f"hand-{player}", False) if pad else Draw(f"pad-{player}"),
            ][number // 2 % 5]
            answers.append(world.do(message, now_ms))
        assert answers[0] == answers[1]
        assert public(worlds[0]) == public(worlds[1])
