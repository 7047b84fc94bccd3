"""Views of information: exactly what one player, or the public, knows of a game.

Whatever decides, hints, tells or sends gets a View or Sights (sights.py), never the Game. A view is made of
the state alone, so a play that was taken back leaves no trace in it either (docs/rules.md).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from engine.board import Arrow, Track
from engine.cards import PLAYERS, Card, Player, parse_card
from engine.claims import Claims, Counts, Pair
from engine.errors import ParseError
from engine.game import Game
from engine.plays import claimed_rank, sacrifices
from engine.round import Phase, Round, Swap, room_to_replace
from engine.rules import Mode, Rules
from engine.verdict import Pairing, Trick


@dataclass(frozen=True)
class View:
    """What the player `seat` knows, or the public (None: whoever stands beside the table). Pairs are (yay, wow).

    `hand` are the own cards: none for the public, and none in referee and board mode, where the table does
    not know them. `face_down` are the cards of a duel or showdown of which only one lies: the own one if it is
    that, else None; `laid` says of both players whether they have laid one. Once both lie they are in `duels`,
    or the round is over (`face_down` holds them both when that ended the game). `discards`, `duels` and
    `tricks` are this round's, in order; `claims` what the referee holds players to (referee mode).
    """

    rules: Rules
    seat: Player | None
    number: int  # the round's, from 1
    track: Track
    phase: Phase
    arrow: Arrow  # BOTH in round 1, whatever is printed
    to_act: tuple[Player, ...]
    counts: Pair  # cards held
    hand: frozenset[Card]
    swap: tuple[Swap, Swap]
    drawn: Pair
    discards: tuple[tuple[Card, ...], tuple[Card, ...]]
    laid: tuple[bool, bool]
    face_down: tuple[Card | None, Card | None]
    attacker: Player | None
    attack: tuple[Card, ...]
    answer: tuple[Card, ...]
    duels: tuple[Pairing, ...]
    tricks: tuple[Trick, ...]
    claims: Claims

    @cached_property
    def seen(self) -> frozenset[Card]:
        """The cards whose place the seat knows: its hand, and all that have lain open in this round."""
        open_cards = [*self.hand, *self.discards[0], *self.discards[1], *self.attack, *self.answer]
        open_cards += [card for card in self.face_down if card is not None]
        for duel in self.duels:
            open_cards += (duel.yay, duel.wow)
        for trick in self.tricks:
            open_cards += (*trick.attack, *trick.answer)
        return frozenset(open_cards)

    @cached_property
    def unseen(self) -> Counts:
        """How many cards of each rank the seat has not seen: 13 numbers, the place is the rank."""
        counts = list(self.rules.deck.counts)
        for card in self.seen:
            counts[card.rank] -= 1
        return tuple(counts)

    @property
    def replaced(self) -> Pair:
        return len(self.discards[0]), len(self.discards[1])

    @property
    def hand_size(self) -> int:
        """How many cards each player is dealt in this round; 0 when the game is over."""
        return 0 if self.track.winner else self.rules.board.hand_size(self.track.tacocat)

    def may_still_replace(self, player: Player) -> int:
        """How many more cards this player may discard; 0 outside of replace."""
        if self.phase is not Phase.REPLACE or self.swap[player.seat] is not Swap.DISCARDING:
            return 0
        pile = len(self.rules.deck) - 2 * self.hand_size
        return room_to_replace(player, self.arrow, self.swap, self.replaced, self.counts, pile)

    def __str__(self) -> str:
        return format_view(self)


def view_of(game: Game, seat: Player | None) -> View:
    """What this player knows of the game; None: what the public knows."""
    state = game.round
    return View(
        rules=game.rules,
        seat=seat,
        number=game.number,
        track=game.track,
        phase=state.phase,
        arrow=state.arrow,
        to_act=game.to_act,
        counts=state.counts,
        hand=frozenset() if seat is None else state.hands[seat.seat],
        swap=state.swap,
        drawn=state.drawn,
        discards=state.discards,
        laid=(state.shown[0] is not None, state.shown[1] is not None),
        face_down=_face_down(state, seat),
        attacker=state.attacker,
        attack=state.attack,
        answer=state.answer,
        duels=state.duels,
        tricks=state.tricks,
        claims=state.claims,
    )


def _face_down(state: Round, seat: Player | None) -> tuple[Card | None, Card | None]:
    yay, wow = state.shown
    if yay is not None and wow is not None:
        return yay, wow  # a showdown: both have been turned
    return (yay if seat is Player.YAY else None), (wow if seat is Player.WOW else None)


# ---- one line of text ----------------------------------------------------------------------

FIELDS = [
    *("seat", "round", "tacocat", "covered", "phase", "arrow", "act", "counts", "hand", "swap", "drawn", "discards"),
    *("laid", "down", "attacker", "attack", "answer", "duels", "tricks", "claims"),
]
NONE = "-"


def format_view(view: View) -> str:
    """One line: `seat=wow round=3 …`; all fields but the rules, which `format_rules` writes."""
    values = (
        view.seat or "public",
        str(view.number),
        str(view.track.tacocat),
        _joined(map(str, view.track.covered)),
        view.phase,
        view.arrow,
        _joined(view.to_act),
        _joined(map(str, view.counts)),
        _cards(sorted(view.hand)),
        _joined(view.swap),
        _joined(map(str, view.drawn)),
        "/".join(map(_cards, view.discards)),
        _joined("yes" if laid else "no" for laid in view.laid),
        "/".join(NONE if card is None else str(card) for card in view.face_down),
        view.attacker or NONE,
        _cards(view.attack),
        _cards(view.answer),
        _joined(f"{duel.yay}/{duel.wow}" for duel in view.duels),
        _joined(f"{t.attacker}/{_cards(t.attack, '+')}/{_cards(t.answer, '+')}" for t in view.tricks),
        "/".join(_joined(map(str, own)) for own in view.claims),
    )
    return " ".join(f"{name}={value}" for name, value in zip(FIELDS, values, strict=True))


def _joined(words: Iterable[str]) -> str:
    return ",".join(words) or NONE


def _cards(cards: Iterable[Card], mark: str = ",") -> str:
    return mark.join(map(str, cards)) or NONE


def parse_view(text: str, rules: Rules) -> View:
    """The inverse of format_view. Raises ParseError."""
    words = [word.partition("=") for word in text.split(" ")]
    if [name for name, _, _ in words] != FIELDS:
        raise ParseError(f"{text!r} is not a view: the fields {' '.join(FIELDS)} are expected, each as name=value")
    found = {name: value for name, _, value in words}
    try:
        return _view_of_words(found, rules)
    except ValueError as error:
        raise ParseError(f"{text!r} is not a view: {error}") from None


def _view_of_words(found: dict[str, str], rules: Rules) -> View:
    yay_swap, wow_swap = map(Swap, _split(found["swap"]))
    yay_laid, wow_laid = (_yes(word) for word in _split(found["laid"]))
    yay_down, wow_down = found["down"].split("/")
    yay_discards, wow_discards = map(_parse_cards, found["discards"].split("/"))
    yay_claims, wow_claims = (tuple(map(int, _split(own))) for own in found["claims"].split("/"))
    return View(
        rules=rules,
        seat=None if found["seat"] == "public" else Player(found["seat"]),
        number=int(found["round"]),
        track=Track(int(found["tacocat"]), tuple(map(int, _split(found["covered"])))),
        phase=Phase(found["phase"]),
        arrow=Arrow(found["arrow"]),
        to_act=tuple(map(Player, _split(found["act"]))),
        counts=_pair(found["counts"]),
        hand=frozenset(_parse_cards(found["hand"])),
        swap=(yay_swap, wow_swap),
        drawn=_pair(found["drawn"]),
        discards=(yay_discards, wow_discards),
        laid=(yay_laid, wow_laid),
        face_down=(_parse_card_or_none(yay_down), _parse_card_or_none(wow_down)),
        attacker=None if found["attacker"] == NONE else Player(found["attacker"]),
        attack=_parse_cards(found["attack"]),
        answer=_parse_cards(found["answer"]),
        duels=tuple(map(_parse_duel, _split(found["duels"]))),
        tricks=tuple(map(_parse_trick, _split(found["tricks"]))),
        claims=(yay_claims, wow_claims),
    )


def _split(text: str, mark: str = ",") -> list[str]:
    return [] if text == NONE else text.split(mark)


def _yes(word: str) -> bool:
    if word not in ("yes", "no"):
        raise ValueError(f"{word!r} found, yes or no is expected")
    return word == "yes"


def _pair(text: str) -> Pair:
    yay, wow = map(int, text.split(","))
    return yay, wow


def _parse_cards(text: str, mark: str = ",") -> tuple[Card, ...]:
    return tuple(map(parse_card, _split(text, mark)))


def _parse_card_or_none(text: str) -> Card | None:
    return None if text == NONE else parse_card(text)


def _parse_duel(text: str) -> Pairing:
    yay, wow = map(parse_card, text.split("/"))
    winner = None if yay.rank == wow.rank else PLAYERS[yay.rank < wow.rank]
    return Pairing(yay, wow, winner)


def _parse_trick(text: str) -> Trick:
    attacker, attack_text, answer_text = text.split("/")
    attack, answer = _parse_cards(attack_text, "+"), _parse_cards(answer_text, "+")
    return Trick(Player(attacker), attack, answer, sacrifices([c.rank for c in attack], [c.rank for c in answer]))


# ---- what plays have said ------------------------------------------------------------------


def lowest_possible(view: View, player: Player) -> int:
    """No card that this player now holds can be lower than this rank, by what the sacrifices of the round claim.

    0: none has been made. In referee mode a claim that was convicted no longer counts.
    """
    if view.rules.mode is Mode.REFEREE:
        return max(view.claims[player.seat], default=0)
    claims = (
        claimed_rank([c.rank for c in trick.attack], [c.rank for c in trick.answer])
        for trick in view.tricks
        if trick.attacker is not player
    )
    return max((claim for claim in claims if claim is not None), default=0)
