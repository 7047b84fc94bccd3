"""The table: what lies on the pads, what was pressed, and the game that comes of it. Pure.

`step` takes the table and one thing that happened and gives the next table and the effects that the
loop has to perform. Times come with the events; nothing here waits, reads or writes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from engine.cards import Card, Player
from engine.events import Event
from engine.game import Game
from engine.round import Phase
from engine.rules import Mode
from engine.transcript import Solo
from engine.verdict import Verdict
from firmware.bots.advice import Advice
from firmware.kept.settings import DEFAULTS, Settings
from firmware.table.findings import Row
from firmware.table.row import Places, places_of
from firmware.table.teaching import Teaching
from hardware.ports import HardwareEvent, PartState

GROUP_MS = 300  # cards of one pad that arrive within this time are one group
PHONE_MS = 1000  # another random UID on a pad within this time is the same phone, which was powered anew
FOUND_MS = 300  # what is first seen this soon after a reader began to work lay there before
IGNORE_MS = 500  # after a completed trick nothing counts for this time
NOTICE_MS = 8000  # a verdict is fresh for this time
OVER_PAUSE_MS = 2000  # after a won game presses count again
FLASHES, FLASH_MS = 3, 400
GLIDE_STEP_MS = 350


class Stage(Enum):
    MAIN_MENU = "main menu"  # no game: choose one
    CLEAR = "clear"  # between rounds: the pads have to be empty, and an ok pressed
    ROUND = "round"
    OVER = "over"
    TEACHING = "teaching"  # teaching a deck


@dataclass(frozen=True, slots=True)
class Tick:
    """Time has passed, and nothing else."""

    at_ms: int


@dataclass(frozen=True, slots=True)
class Advised:
    """The advice that was asked for last has been found."""

    advice: Advice
    at_ms: int


@dataclass(frozen=True, slots=True)
class Decision:
    """Whoever plays for the table has answered the question of this number: cards, none or more, in any order.

    `failed`: it has not, and this is played for it. `stand_in`: who plays on in its place from now on, "" if it does.
    """

    number: int
    cards: tuple[Card, ...] = field(repr=False)
    at_ms: int
    failed: bool = False
    stand_in: str = ""


TableEvent = HardwareEvent | Tick | Advised | Decision


# ---- the state -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TagOnPad:
    """A tag that lies on a pad. `card` is None if it is not a card of the deck."""

    uid: bytes
    card: Card | None


@dataclass(frozen=True, slots=True)
class Group:
    """Cards of one pad that arrived within GROUP_MS of `began_ms`.

    `waiting` are not judged yet; `counted` is how many of the group were accepted at once.
    """

    began_ms: int
    waiting: tuple[Card, ...] = ()
    counted: int = 0


@dataclass(frozen=True, slots=True)
class Pad:
    """What the device knows of one pad. `must_clear` holds from a crowd until the pad is empty.

    `coming`: the tags that were noticed but do not lie there yet, with the times when they were.
    `phone_ms`: when a random UID was last there, None if none was. `found_ms`: what was first seen before this lay
    there when its reader began to work, and is no play; None as long as it has not.
    """

    lying: tuple[TagOnPad, ...] = ()
    coming: tuple[tuple[bytes, int], ...] = ()
    group: Group | None = None
    crowded: bool = False
    must_clear: bool = False
    phone_ms: int | None = None
    found_ms: int | None = None

    @property
    def empty(self) -> bool:
        return not self.lying and not self.crowded

    @property
    def feels_a_card(self) -> bool:
        """Whether a card of its is on the way to its verdict: noticed, or waiting for its group."""
        return bool(self.coming) or (self.group is not None and bool(self.group.waiting))

    def without_coming(self, uid: bytes) -> Pad:
        return replace(self, coming=tuple(other for other in self.coming if other[0] != uid))


class Remark(Enum):
    """Something to say that is no verdict of the engine."""

    ALREADY_SEEN = "already seen"  # quiet: a card of this round turned up again
    TOO_MANY = "one card too many"
    CLEAR_PAD = "clear the pad"
    CLEAR_FIRST = "clear the pads first"  # ok between rounds, but something lies there
    UNKNOWN_TAG = "unknown tag"  # at a time when it is no event
    NAMED = "named"
    TOO_SOON = "too soon"  # put down right after a trick
    OK_FIRST = "ok first"  # between rounds, quiet: a card was put down, but nobody has pressed ok
    TAUGHT = "taught"  # teaching: this tag was counted
    OTHER_RANK = "other rank"  # teaching: this tag has another rank already
    PUT_BACK = "put back"  # solo: not the card that is meant; back to its place, face down
    NOT_OF_ROW = "not of the row"  # solo: on the table's pad lies a card that is none of the table's
    WAIT = "wait"  # solo: the table has not laid its whole attack yet
    TAKEN_BACK = "taken back"  # solo: the table's cards go back to their places
    ROW = "row"  # solo: a game goes on, and in these places of the row there are cards
    PLAYED_FOR = "played for"  # solo: whoever plays for the table has failed, and the rule plays for it, this once
    STAND_IN = "stand-in"  # solo: it has failed too often, and another plays on
    NO_WAY_BACK = "no way back"  # solo: what the table did since cannot be taken back


@dataclass(frozen=True, slots=True)
class Told:
    """The latest thing worth telling: a verdict on an event, or a remark about a pad."""

    at_ms: int
    player: Player | None = None
    event: Event | None = None
    verdict: Verdict | None = None
    phase: Phase | None = None  # before the event
    drawing: bool = False  # the player was drawing cards, face down, when the event came
    remark: Remark | None = None
    card: Card | None = None
    uid: bytes | None = None
    places: tuple[int, ...] = ()  # solo: where the cards in question belong in the row
    stand_in: str = ""  # solo: who plays on for the table
    too_quick: bool = False  # a defender's card closed an attack that was not finished


@dataclass(frozen=True, slots=True)
class Motion:
    """What moves on the strip for a while: flashing goals (player, since) and Tacocat's way."""

    flashes: tuple[tuple[Player, int], ...] = ()
    glide: tuple[int, ...] = ()  # spaces 0 to 8, the first is where it came from
    glide_ms: int = 0


@dataclass(frozen=True, slots=True)
class Menu:
    """An open menu; see menus.py for its pages. `turned_ms`: when how to play last turned a page by itself."""

    page: str
    items: tuple[str, ...]
    chosen: int = 0
    agreed: frozenset[Player] = frozenset()
    turned_ms: int | None = None


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """What the table has to decide, and what tells it from the question before: round, plays so far, the attack."""

    phase: Phase
    number: int
    plays: int
    attack: tuple[Card, ...] = ()


@dataclass(frozen=True, slots=True)
class Opponent:
    """The table as a player. `solo` says on which side, how strong, and by which seed.

    `asked` numbers its questions. `chosen`: what it has decided, None while it thinks; `left`: which of these are
    still to be laid; `shown`: whether their places are on the screen, from `due_ms` on. `ok_waits`: the person's ok
    has to wait for its choice. `learning`: the cards passed over the pad so far while the row is learned anew.
    """

    solo: Solo
    places: Places = field(default=(), repr=False)
    question: OpenQuestion | None = None
    asked: int = 0
    due_ms: int = 0
    chosen: tuple[Card, ...] | None = field(default=None, repr=False)
    left: tuple[Card, ...] = field(default=(), repr=False)
    shown: bool = False
    ok_waits: bool = False
    learning: tuple[Card, ...] | None = field(default=None, repr=False)

    @property
    def side(self) -> Player:
        return self.solo.side

    @property
    def is_learning(self) -> bool:
        return self.learning is not None

    @property
    def places_left(self) -> tuple[int, ...]:
        """The places of the cards that are still to be laid, ascending; none before they may be shown."""
        if not self.shown:
            return ()
        return places_of(self.places, self.left)


@dataclass(frozen=True, slots=True)
class Offer:
    """A game that can be resumed, and the table's part in it."""

    game: Game
    opponent: Opponent | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """The whole state of the device at play. `tags` maps the UID of each card's tag to the card."""

    game: Game
    tags: Mapping[bytes, Card] = field(repr=False)
    stage: Stage = Stage.CLEAR
    pads: tuple[Pad, Pad] = (Pad(), Pad())
    ignore_until_ms: int = 0
    told: Told | None = None
    latest: Told | None = None  # the latest accepted event that can still be taken back
    late_foul: Told | None = None  # the latest of this round, until the next one begins
    foul_read: bool = True  # whether whom it concerns has acted since, or a card was played
    menu: Menu | None = None
    alone: Player | None = None  # who plays against the table, and may ask it for a hint
    advice: Advice | None = None  # on the page that is open for it; None: it is awaited
    unknown_tag: bytes | None = None  # the latest unknown tag: it can be given a name
    read_order: tuple[Card, ...] = ()  # cards in the order of their latest reading, the oldest first
    holding: tuple[Player, int] | None = None
    parts: tuple[PartState, ...] = ()
    motion: Motion = Motion()
    settings: Settings = DEFAULTS
    offer: Offer | None = None  # main menu: an unfinished game that can be resumed
    teaching: Teaching | None = None
    can_switch_off: bool = False
    tick: bool = False  # a sound as soon as a card is noticed
    opponent: Opponent | None = None  # the table plays one side
    chance: int = 0  # from outside: the seed of the next game against the table
    bot: str = ""  # another's program that can play for it, by its name
    checked: tuple[Row, ...] = ()  # what the latest check found
    woken_ms: int = 0

    def pad(self, player: Player) -> Pad:
        return self.pads[player.seat]

    @property
    def pads_clear(self) -> bool:
        return all(pad.empty for pad in self.pads)

    @property
    def over_ms(self) -> int:
        """When Tacocat has come to where it glides: then the light of a won game begins."""
        return self.motion.glide_ms + GLIDE_STEP_MS * len(self.motion.glide)


def between_rounds(game: Game) -> bool:
    """Whether nothing has happened yet in the game's round, so that the pads have to be cleared first."""
    state = game.round
    return state.phase is Phase.DEAL and state.counts == (0, 0) and not state.ready


def stage_of(game: Game) -> Stage:
    """Where a game stands at the table: over, waiting for clear pads between rounds, or in a round."""
    if game.over:
        return Stage.OVER
    return Stage.CLEAR if between_rounds(game) and game.rules.mode is not Mode.BOARD else Stage.ROUND


def without_groups(table: Table) -> Table:
    """No card waits for its group any more: those that did count for nothing until they are put down again."""
    yay, wow = table.pads
    return replace(table, pads=(replace(yay, group=None), replace(wow, group=None)))


def with_pad(table: Table, player: Player, pad: Pad) -> Table:
    pads = (pad, table.pads[1]) if player.seat == 0 else (table.pads[0], pad)
    return replace(table, pads=pads)


def lies_refused(table: Table, told: Told) -> bool:
    """Whether this tells why a card was refused that still lies there."""
    if told.verdict is None or told.verdict.problem is None or told.card is None or told.player is None:
        return False
    return any(tag.card == told.card for tag in table.pad(told.player).lying)


def idle_cards(table: Table, player: Player) -> int:
    """How many cards on this pad count for nothing until they are lifted and put down again.

    Those whose play was rejected or taken back, and those that came when none was wanted. Cards that
    are played, dealt just now, or still waiting for their group do not belong to them.
    """
    pad = table.pad(player)
    state = table.game.round
    dealing = state.phase in (Phase.DEAL, Phase.REPLACE)
    settled = state.used | state.hands[player.seat] if dealing else state.used
    waiting = pad.group.waiting if pad.group else ()
    return sum(1 for tag in pad.lying if tag.card and tag.card not in settled and tag.card not in waiting)
