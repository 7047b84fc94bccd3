"""The work on one event: the table as it becomes, the effects so far, and the one door to the engine."""

from __future__ import annotations

from dataclasses import replace

from engine.board import Track
from engine.cards import Card, Player
from engine.events import Event
from engine.game import Game, judge
from engine.round import Swap
from engine.verdict import Problem, Result, Verdict
from firmware.table.effects import Effect, Record, Sound
from firmware.table.row import places_after
from firmware.table.state import (
    IGNORE_MS,
    Motion,
    Pad,
    Remark,
    Stage,
    Table,
    Told,
    lies_refused,
    stage_of,
    with_pad,
    without_groups,
)


def _way(before: Track, result: Result) -> tuple[int, ...]:
    """The spaces that Tacocat visits after a round: where it was, then all that it passes; none if it stays."""
    if result in (Result.TIE, Result.VOID):
        return ()
    return (before.tacocat, *before.path(Player(result)))


class Turn:
    """Mutable while one step is made, and forgotten afterwards."""

    def __init__(self, table: Table, now_ms: int) -> None:
        self.table = table
        self.now_ms = now_ms
        self.effects: list[Effect] = []

    # ---- the engine ------------------------------------------------------------------------

    def judge(self, event: Event) -> Verdict:
        """Give one event to the engine, and let the table show what came of it."""
        before = self.table.game
        game, verdict = judge(before, event)
        self.effects.append(Record(event, before, game, verdict))
        too_quick = verdict.problem is Problem.NOT_A_SET_OR_SEQUENCE and event.player is not before.round.attacker
        drawing = event.player is not None and before.round.swap[event.player.seat] is Swap.DRAWING
        told = Told(
            self.now_ms,
            event.player,
            event,
            verdict,
            before.phase,
            drawing,
            card=event.card,
            uid=event.uid,
            too_quick=too_quick,
        )
        latest = self.table.latest
        if game.past is not before.past:  # a refusal can do that too: it may take back a whole play
            latest = told if verdict.accepted and not verdict.undone and game.past is not None else None
        self._note_foul(told, verdict)
        self.table = replace(self.table, game=game, told=self._worth_telling(told, verdict), latest=latest)
        self._follow_row(before, event, verdict)
        self._answer(verdict, event)
        self._change_stage(verdict, before.track)
        return verdict

    def _worth_telling(self, told: Told, verdict: Verdict) -> Told:
        """What was said stays said: a press for nothing does not hide why the card that lies there was refused."""
        before = self.table.told
        if before is None or verdict.accepted or told.card is not None or told.uid is not None:
            return told
        return before if lies_refused(self.table, before) else told

    def _note_foul(self, told: Told, verdict: Verdict) -> None:
        """A late foul is told until the other player has pressed or a card was played: not only to who committed it."""
        foul = self.table.late_foul
        if verdict.fouls:
            self.table = replace(self.table, late_foul=told, foul_read=False)
        elif verdict.round_result is Result.VOID:
            self.table = replace(self.table, late_foul=None, foul_read=True)
        elif foul is not None and foul.verdict is not None:
            played = verdict.accepted and told.card is not None
            by_another = told.player is not None and told.player not in foul.verdict.fouls[0].suspects
            self.table = replace(self.table, foul_read=self.table.foul_read or played or by_another)

    def _follow_row(self, before: Game, event: Event, verdict: Verdict) -> None:
        """Where the table's own cards lie, if it plays."""
        opponent = self.table.opponent
        if opponent is not None:
            places = places_after(opponent.places, opponent.side, before, event, verdict)
            self.table = replace(self.table, opponent=replace(opponent, places=places))

    def _answer(self, verdict: Verdict, event: Event) -> None:
        """Sound and light for a verdict."""
        if verdict.fouls:
            self.effects.append(Sound.LATE_FOUL)
            for suspect in {suspect: None for foul in verdict.fouls for suspect in foul.suspects}:
                self.flash(suspect)
        elif verdict.problem is Problem.UNKNOWN_CARD:
            self.effects.append(Sound.UNKNOWN)
        elif not verdict.accepted:
            self.effects.append(Sound.REJECTED)
            assert event.player is not None  # a round is begun again by both, and nothing refuses that
            self.flash(event.player)
        elif verdict.round_result is None:
            self.effects.append(Sound.ACCEPTED)
        if verdict.trick is not None or verdict.duel is not None:
            self.table = replace(self.table, ignore_until_ms=self.now_ms + IGNORE_MS)

    def _change_stage(self, verdict: Verdict, before: Track) -> None:
        """Between rounds, over, or back in the round that an undo has brought back."""
        game = self.table.game
        if verdict.round_result is not None:
            glide = _way(before, verdict.round_result)
            motion = replace(self.table.motion, glide=glide, glide_ms=self.now_ms)
            self.effects.append(Sound.GAME_WON if game.over else Sound.ROUND_WON)
            self.table = replace(without_groups(self.table), stage=stage_of(game), motion=motion)
        elif verdict.undone:
            motion = Motion(flashes=self.table.motion.flashes)
            self.table = replace(self.table, stage=Stage.ROUND, motion=motion)

    # ---- small things ----------------------------------------------------------------------

    def set_pad(self, player: Player, pad: Pad) -> None:
        self.table = with_pad(self.table, player, pad)

    def remark(
        self,
        remark: Remark,
        player: Player | None,
        card: Card | None = None,
        uid: bytes | None = None,
        places: tuple[int, ...] = (),
        stand_in: str = "",
    ) -> None:
        told = Told(self.now_ms, player, remark=remark, card=card, uid=uid, places=places, stand_in=stand_in)
        self.table = replace(self.table, told=told)

    def flash(self, player: Player) -> None:
        motion = self.table.motion
        others = tuple(flash for flash in motion.flashes if flash[0] is not player)
        self.table = replace(self.table, motion=replace(motion, flashes=(*others, (player, self.now_ms))))
