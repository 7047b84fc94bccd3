"""A game told to people, line by line: rounds, plays, verdicts and fouls."""

from __future__ import annotations

from typing import TextIO

from engine.cards import PLAYERS, Card, Player
from engine.events import Kind
from engine.game import Game
from engine.round import Phase
from engine.rules import Mode
from engine.transcript import Entry, Solo
from engine.verdict import Foul, Pairing, Problem, Result, Verdict
from firmware.errors import printable

NAMES = {Player.YAY: "YAY", Player.WOW: "WOW"}
REASONS = {
    Problem.GAME_OVER: "the game is over",
    Problem.UNKNOWN_CARD: "this tag is not a card of the deck",
    Problem.NOTHING_TO_CONFIRM: "there is nothing to confirm",
    Problem.NOTHING_TO_UNDO: "there is nothing that this player can take back",
    Problem.NOT_YOUR_TURN: "no card is expected from this player now",
    Problem.CARD_ALREADY_USED: "this card was already seen in this round",
    Problem.NOT_YOUR_CARD: "this card is not in that player's hand",
    Problem.HAND_FULL: "the hand is full",
    Problem.TOO_MANY_REPLACED: "no more cards may be replaced",
    Problem.MUST_KEEP_LAST_CARD: "the attacker must keep the last card",
    Problem.NOT_A_SET_OR_SEQUENCE: "this is neither one card, a set nor a sequence",
    Problem.MUST_DEFEND_OR_SACRIFICE_LOWEST: "each card must defend, or be the lowest of the hand",
}


def cards_text(cards: tuple[Card, ...]) -> str:
    return " ".join(map(str, cards))


def foul_text(foul: Foul) -> str:
    """A late foul in one sentence, with the claim and what disproves it."""
    gave = [
        f"{NAMES[player]} gave up {', '.join(map(str, foul.convicted[player.seat]))}"
        for player in PLAYERS
        if foul.convicted[player.seat]
    ]
    if foul.card is not None:
        return f"{gave[0]} but still held {foul.card.rank}"
    if len(foul.suspects) == 1:
        return f"{gave[0]}: too few cards that high were left for that hand"
    return f"{' and '.join(gave)}: both cannot have been the lowest"


class Story:
    """Writes a game to `out` while it is judged."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def begin(self, game: Game, solo: Solo | None = None) -> None:
        """`solo`: who plays for the table."""
        against = f", {NAMES[solo.side]} is the table ({solo.level})" if solo else ""
        self._say(f"{game.rules.mode} mode, ties: {game.rules.tie}, late fouls: {game.rules.late_foul}{against}")
        self._round(game)

    def tell(self, before: Game, entry: Entry, verdict: Verdict, game: Game) -> None:
        if verdict.accepted:
            self._say(f"  {entry.text}{self._done(before, entry, verdict)}")
        else:
            assert verdict.problem is not None
            back = f"; taken back: {cards_text(verdict.taken_back)}" if verdict.taken_back else ""
            self._say(f"  {entry.text}  -- rejected: {REASONS[verdict.problem]} ({verdict.problem}){back}")
        for foul in verdict.fouls:
            self._say(f"    late foul: {foul_text(foul)} ({foul.rule}, suspected: {' and '.join(foul.suspects)})")
        if verdict.round_result is not None:
            self._result(verdict.round_result, game)
        elif game.phase is not before.phase:
            self._say(f"   [{game.phase}] {self._hands(game)}")

    def end(self, game: Game) -> None:
        if not game.over:
            self._say(f"unfinished: round {game.number}, {game.phase}, waiting for {' and '.join(game.to_act)}")

    def _done(self, before: Game, entry: Entry, verdict: Verdict) -> str:
        if verdict.undone:
            return "  (taken back)"
        if verdict.duel:
            return f"  duel {self._pair(verdict.duel, 'attacks first', 'again')}"
        if verdict.showdown:
            return f"  showdown {self._pair(verdict.showdown, 'wins', 'tie')}"
        if verdict.trick:
            held = "holds" if verdict.trick.holds else f"{verdict.trick.sacrificed} sacrificed"
            return f"  ({cards_text(verdict.trick.attack)} answered by {cards_text(verdict.trick.answer)}: {held})"
        if verdict.kept_all:
            return "  (kept all cards, so the other keeps all too)"
        if entry.event.kind is Kind.OK and before.phase is Phase.ATTACK:
            return f"  (attacks with {cards_text(before.round.attack)})"
        return ""

    def _pair(self, pairing: Pairing, wins: str, equal: str) -> str:
        cards = f"{pairing.yay} : {pairing.wow}"
        return f"{cards}, {equal if pairing.winner is None else f'{NAMES[pairing.winner]} {wins}'}"

    def _result(self, result: Result, game: Game) -> None:
        match result:
            case Result.TIE:
                self._say("  => a tie: Tacocat stays")
            case Result.VOID:
                self._say("  => the round is void: Tacocat stays")
            case _:
                self._say(f"  => {NAMES[Player(result)]} wins the round: Tacocat moves to {self._place(game)}")
        if game.winner is not None:
            self._say(f"{NAMES[game.winner]} wins the game")
        else:
            self._round(game)

    def _round(self, game: Game) -> None:
        covered = f", covered {' '.join(map(str, game.track.covered))}" if game.track.covered else ""
        hand = "" if game.rules.mode is Mode.BOARD else f", {game.round.hand_size} cards each"
        self._say(f"Round {game.number}: Tacocat on {game.track.tacocat}{covered}{hand}, arrow {game.round.arrow}")

    def _place(self, game: Game) -> str:
        return str(game.track.tacocat) if game.winner is None else f"{NAMES[game.winner]}'s goal"

    def _hands(self, game: Game) -> str:
        return ", ".join(f"{NAMES[player]} {game.round.count(player)}" for player in PLAYERS)

    def _say(self, text: str) -> None:
        self._out.write(printable(text) + "\n")
