"""Random games for the engine's tests: players who mostly play well, sometimes wrongly, and sometimes cheat."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from hypothesis import strategies as st

from engine.board import DEFAULT_BOARD, Arrow, Board
from engine.cards import DEFAULT_DECK, PLAYERS, Card, Deck, Player
from engine.events import VOID, Event, card_event, ok_event, tag_event, undo_event
from engine.game import Game, judge, new_game
from engine.plays import legal_answers, legal_attacks
from engine.round import Phase, Swap
from engine.rules import LateFoul, Mode, Rules, Tie
from engine.transcript import parse_transcript
from engine.verdict import Verdict


@dataclass(frozen=True)
class Manners:
    """How often, from 0 to 1, a random player does something odd."""

    wrong: float = 0.12  # an event that comes from anywhere
    cheat: float = 0.2  # an answer that pays no heed to the rule
    proud: float = 0.1  # a high card where another would do (referee mode: any high card of the deck): claims abound
    regret: float = 0.06  # an undo
    void: float = 0.003


class RandomTable:
    """Two players with real cards. In referee mode the engine never learns these hands.

    A deal is a function of the seed and the round's number, so that hands can be told from the
    engine's state alone, also after an undo.
    """

    def __init__(self, rules: Rules, seed: int, manners: Manners = Manners()) -> None:
        self.rules = rules
        self.seed = seed
        self.manners = manners
        self.chance = random.Random(seed)

    def hand(self, game: Game, player: Player) -> set[Card]:
        state = game.round
        if not state.hidden:
            return set(state.hands[player.seat])
        cards = list(self.rules.deck.cards)
        random.Random(f"{self.seed} {game.number}").shuffle(cards)
        size, i = state.hand_size, player.seat
        held = set(cards[i * size : (i + 1) * size])
        if state.swap[i] is Swap.DONE:  # the first draws from the top of the pile, the second from the bottom
            pile = cards[2 * size :]
            count = state.replaced[i]
            held |= set(pile[:count] if i == 0 else pile[len(pile) - count :])
        return held - state.used

    def next_event(self, game: Game) -> Event:
        roll, manners = self.chance.random(), self.manners
        if roll < manners.wrong:
            return self.anything()
        if roll < manners.wrong + manners.regret:
            return undo_event(game.undoable_by or self.chance.choice(PLAYERS))
        if roll < manners.wrong + manners.regret + manners.void:
            return VOID
        return self.sensible(game)

    def anything(self) -> Event:
        player = self.chance.choice(PLAYERS)
        match self.chance.randrange(8):
            case 0:
                return tag_event(player, self.chance.randbytes(self.chance.choice((4, 7, 10))))
            case 1 | 2:
                return ok_event(player)
            case 3:
                return undo_event(player)
        return card_event(player, self.chance.choice(self.rules.deck.cards))

    def sensible(self, game: Game) -> Event:
        """The next event of somebody from whom one is awaited."""
        state = game.round
        if game.over:
            return self.anything()
        player = self.chance.choice(game.to_act)
        match state.phase:
            case Phase.BOARD:
                return ok_event(player)
            case Phase.DEAL if state.hidden:
                return ok_event(player)
            case Phase.DEAL:
                return self.some(player, set(self.rules.deck.cards) - state.hands[0] - state.hands[1])
            case Phase.REPLACE if state.swap[player.seat] is Swap.DRAWING:
                return self.some(player, set(self.rules.deck.cards) - state.hands[0] - state.hands[1] - state.used)
            case Phase.REPLACE:
                keen = self.chance.random() < 0.4 and state.may_still_replace(player) > 0
                return self.some(player, self.hand(game, player)) if keen else ok_event(player)
            case Phase.ATTACK | Phase.DEFEND:
                return self.trick(game)
        return self.some(player, self.hand(game, player))

    def some(self, player: Player, cards: set[Card]) -> Event:
        return card_event(player, self.chance.choice(sorted(cards))) if cards else ok_event(player)

    def trick(self, game: Game) -> Event:
        state = game.round
        attacker = state.attacker
        assert attacker is not None
        if self.chance.random() < self.manners.proud:
            return self.show_off(game, attacker)
        if state.phase is Phase.ATTACK:
            down = frozenset(state.attack)
            plans = [p for p in legal_attacks(self.hand(game, attacker) | down) if down < p and len(p) > 1]
            if plans and self.chance.random() < 0.7:
                return self.some(attacker, set(self.chance.choice(plans) - down))
            if not down:
                return self.some(attacker, self.hand(game, attacker))
            if self.chance.random() < 0.5:
                return ok_event(attacker)
        return self.answer(game, attacker.other)

    def show_off(self, game: Game, attacker: Player) -> Event:
        """One of the three highest cards; the answer to a single card is lower if it can be."""
        state = game.round
        player = attacker if state.phase is Phase.ATTACK and not state.attack else attacker.other
        cards = set(self.rules.deck.cards) - state.used if state.hidden else self.hand(game, player)
        if player is not attacker:
            top = max(card.rank for card in state.attack)
            cards = {card for card in cards if card.rank < top} or cards
        return self.some(player, set(sorted(cards)[-3:]))

    def answer(self, game: Game, player: Player) -> Event:
        state = game.round
        hand, down = self.hand(game, player), frozenset(state.answer)
        plans = []
        if self.chance.random() >= self.manners.cheat:
            plans = [p for p in legal_answers([c.rank for c in state.attack], hand | down) if down < p]
        return self.some(player, set(self.chance.choice(plans) - down) if plans else hand)

    def events(self, most: int) -> Iterator[tuple[Game, Event]]:
        """Up to `most` events with the game before each; ends a little after the game's end."""
        game = new_game(self.rules)
        after = 0
        for _ in range(most):
            event = self.next_event(game)
            yield game, event
            game, _ = judge(game, event)
            after = after + 1 if game.over else 0
            if after > 6:
                return


def play(rules: Rules, seed: int, most: int = 400, manners: Manners = Manners()) -> list[Event]:
    """The events of one random game."""
    return [event for _, event in RandomTable(rules, seed, manners).events(most)]


SEEDS = st.integers(0, 2**32 - 1)


@st.composite
def small_decks(draw: st.DrawFn, least: int = 8, most: int = 16) -> Deck:
    """Decks of few cards and few ranks, in which claims collide."""
    ranks = draw(st.lists(st.integers(1, 12), min_size=2, max_size=6, unique=True))
    copies = [draw(st.integers(1, 4)) for _ in ranks]
    while sum(copies) < least:
        copies[draw(st.integers(0, len(ranks) - 1))] += 1
    while sum(copies) > most:
        copies[copies.index(max(copies))] -= 1
    return Deck(tuple(zip(ranks, copies, strict=True)))


@st.composite
def rules(draw: st.DrawFn, modes: tuple[Mode, ...] = (Mode.PLAY, Mode.REFEREE), small: bool = False) -> Rules:
    """Any rules of these modes: printed or custom deck and board."""
    deck, board = DEFAULT_DECK, DEFAULT_BOARD
    if small or draw(st.booleans()):
        deck = draw(small_decks())
        sizes = draw(st.lists(st.integers(2, min(5, len(deck) // 2)), min_size=7, max_size=7))
        arrows = draw(st.lists(st.sampled_from(list(Arrow)), min_size=7, max_size=7))
        board = Board(tuple(sizes), tuple(arrows))
    tie, late_foul = draw(st.sampled_from(list(Tie))), draw(st.sampled_from(list(LateFoul)))
    return Rules(draw(st.sampled_from(modes)), deck, board, tie, late_foul)


@dataclass(frozen=True)
class Told:
    """A transcript, judged: the last game, and each event's text with its verdict."""

    game: Game
    events: tuple[tuple[str, Verdict], ...]

    @property
    def last(self) -> Verdict:
        return self.events[-1][1]

    @property
    def problems(self) -> list[tuple[str, str]]:
        """The rejected events with their problems, in order."""
        return [(text, verdict.problem.value) for text, verdict in self.events if verdict.problem]

    @property
    def results(self) -> list[str]:
        return [verdict.round_result.value for _, verdict in self.events if verdict.round_result]

    @property
    def fouls(self) -> list[tuple[str, str, tuple[tuple[int, ...], tuple[int, ...]]]]:
        """Event, suspects and convicted claims of each late foul."""
        return [(t, "+".join(foul.suspects), foul.convicted) for t, verdict in self.events for foul in verdict.fouls]


def told(*texts: str) -> Told:
    """Judge a transcript given in pieces: header, deal, plays. A line may hold several events, split by `;`."""
    lines = [line.strip() for text in texts for whole in text.splitlines() for line in whole.split(";")]
    game_rules, entries = parse_transcript("\n".join(lines))
    game, events = new_game(game_rules), []
    for entry in entries:
        game, verdict = judge(game, entry.event)
        events.append((entry.text, verdict))
    return Told(game, tuple(events))


def dealt(yay: str, wow: str, swap: bool = False) -> str:
    """The deal of a round in play mode, card by card; then nobody replaces, unless `swap`."""
    lines = [f"yay {card}" for card in yay.split()] + [f"wow {card}" for card in wow.split()]
    return "\n".join(lines if swap else [*lines, "yay ok", "wow ok"])
