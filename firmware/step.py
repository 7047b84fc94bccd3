"""One step of the table: what a card, a press or the time does (device.md, From placed to played)."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from engine.board import Track
from engine.cards import PLAYERS, Card, Player
from engine.events import VOID, Event, card_event, ok_event, tag_event, undo_event
from engine.game import judge, new_game
from engine.round import Phase, Swap
from engine.rules import Mode, Rules
from engine.verdict import Problem, Result, Verdict
from firmware import menu as menus
from firmware.table import (
    DEAF_MS,
    GLIDE_STEP_MS,
    GROUP_MS,
    OVER_PAUSE_MS,
    Begin,
    Effect,
    End,
    Group,
    Lying,
    Motion,
    Name,
    Pad,
    Record,
    Remark,
    Sound,
    Stage,
    Table,
    TableEvent,
    Tick,
    Told,
    with_pad,
)
from hardware.ports import Crowded, Holding, Lifted, PartState, Placed, Press, Pressed


def _way(before: Track, result: Result) -> tuple[int, ...]:
    """The spaces that Tacocat visits after a round: where it was, then all that it passes; none if it stays."""
    if result in (Result.TIE, Result.VOID):
        return ()
    return (before.tacocat, *before.path(Player(result)))


def step(table: Table, event: TableEvent) -> tuple[Table, tuple[Effect, ...]]:
    """The table after `event`, and what is to be done. Never raises for anything that hands can do."""
    turn = _Turn(table, event.at_ms)
    turn.take(event)
    return turn.table, tuple(turn.effects)


class _Turn:
    """The work on one event: the table as it becomes, and the effects collected so far."""

    def __init__(self, table: Table, now_ms: int) -> None:
        self.table = table
        self.now_ms = now_ms
        self.effects: list[Effect] = []

    def take(self, event: TableEvent) -> None:
        if not isinstance(event, Tick | PartState):
            self.table = replace(self.table, woken_ms=self.now_ms)
        match event:
            case Tick():
                self._close_due_groups()
            case PartState():
                others = tuple(part for part in self.table.parts if part.part != event.part)
                self.table = replace(self.table, parts=(*others, event))
            case Placed():
                self._placed(Player(event.pad), event.uid, event.at_ms)
            case Lifted():
                self._lifted(Player(event.pad), event.uid)
            case Crowded():
                self._crowded(Player(event.pad), event.crowded)
            case Holding():
                holding = None if event.since_ms is None else (Player(event.button), event.since_ms)
                self.table = replace(self.table, holding=holding)
            case Pressed():
                self._pressed(event)
            case _:
                assert_never(event)

    # ---- pads ------------------------------------------------------------------------------

    def _placed(self, player: Player, uid: bytes, seen_ms: int) -> None:
        card = self.table.tags.get(uid)
        pad = self.table.pad(player)
        if any(tag.uid == uid for tag in pad.lying):
            return
        self._set_pad(player, replace(pad, lying=(*pad.lying, Lying(uid, card))))
        if card is None:
            self._stranger(player, uid)
        elif self._counts_now(player, card, seen_ms):
            self._join_group(player, card, seen_ms)

    def _stranger(self, player: Player, uid: bytes) -> None:
        self.table = replace(self.table, stranger=uid)
        if self.table.stage is Stage.ROUND and self.table.menu is None:
            self.judge(tag_event(player, uid))
        elif self.table.stage is not Stage.MAIN_MENU:
            self.effects.append(Sound.UNKNOWN)
            self._remark(Remark.UNKNOWN_TAG, player, uid=uid)

    def _counts_now(self, player: Player, card: Card, seen_ms: int) -> bool:
        """Whether a card that has come to lie on a pad can be meant as a play at all."""
        table = self.table
        order = tuple(other for other in table.read_order if other != card)
        self.table = table = replace(table, read_order=(*order, card))
        if table.stage is not Stage.ROUND or table.menu is not None or table.game.rules.mode is Mode.BOARD:
            return False
        if table.pad(player).must_clear:
            self._remark(Remark.CLEAR_PAD, player)
            return False
        state = table.game.round
        settled = state.used if state.phase not in (Phase.DEAL, Phase.REPLACE) else state.used | self._in_hand(player)
        if card in settled:
            self._remark(Remark.ALREADY_SEEN, player, card=card)
            return False
        if seen_ms < table.deaf_until_ms:
            self._remark(Remark.TOO_SOON, player, card=card)
            return False
        return True

    def _in_hand(self, player: Player) -> frozenset[Card]:
        """Cards that this pad has just dealt or drawn to its player: the same card again is no new one."""
        state = self.table.game.round
        takes_cards = state.phase is Phase.DEAL or state.swap[player.seat] is Swap.DRAWING
        return state.hands[player.seat] if takes_cards else frozenset()

    def _join_group(self, player: Player, card: Card, seen_ms: int) -> None:
        pad = self.table.pad(player)
        group = pad.group
        if group is not None and seen_ms - group.began_ms >= GROUP_MS:
            self._close_group(player)
            group = None
        group = group or self.table.pad(player).group or Group(seen_ms)
        group = replace(group, waiting=(*group.waiting, card))
        self._set_pad(player, replace(self.table.pad(player), group=group))
        if not self._waits(player):
            self._judge_waiting(player)

    def _waits(self, player: Player) -> bool:
        """Whether a card must wait for its group: wherever one more could be one too many for good.

        Attacks and discards can be taken back card by card, so they count at once.
        """
        state = self.table.game.round
        own_attack = state.phase is Phase.ATTACK and player is state.attacker
        discards = state.phase is Phase.REPLACE and state.swap[player.seat] is Swap.DISCARDING
        return not (own_attack or discards) or self._wanted(player) <= 1

    def _wanted(self, player: Player) -> int:
        """How many cards may come together from this player now: deals and draws one at a time."""
        state = self.table.game.round
        one_by_one = state.phase is Phase.DEAL or state.swap[player.seat] is Swap.DRAWING
        wanted = state.wanted(player)
        return min(wanted, 1) if one_by_one else wanted

    def _judge_waiting(self, player: Player) -> None:
        pad = self.table.pad(player)
        if pad.group is None:
            return
        cards = pad.group.waiting
        self._set_pad(player, replace(pad, group=replace(pad.group, waiting=())))
        for card in cards:
            verdict = self.judge(card_event(player, card))
            group = self.table.pad(player).group
            if verdict.accepted and group is not None:
                group = replace(group, counted=group.counted + 1)
                self._set_pad(player, replace(self.table.pad(player), group=group))
            if self.table.stage is not Stage.ROUND:
                break

    def _close_due_groups(self) -> None:
        for player in PLAYERS:
            group = self.table.pad(player).group
            if group is not None and self.now_ms - group.began_ms >= GROUP_MS:
                self._close_group(player)

    def _close_group(self, player: Player) -> None:
        """The group is whole: its cards count together, or none of them."""
        group = self.table.pad(player).group
        assert group is not None
        wanted = self._wanted(player)
        if wanted and len(group.waiting) > wanted:
            self._too_many(player)
        elif wanted:
            self._judge_waiting(player)
        elif group.waiting:  # not this player's turn: one card is enough to be told so
            self.judge(card_event(player, group.waiting[0]))
        self._set_pad(player, replace(self.table.pad(player), group=None))

    def _too_many(self, player: Player) -> None:
        """None of the group counts: what counted at once is taken back."""
        group = self.table.pad(player).group
        assert group is not None
        for _ in range(group.counted):
            if not self.table.game.can_undo(player):
                break  # a card that brought a late foul to light stays
            self.judge(undo_event(player))
        self.effects.append(Sound.REJECTED)
        self._flash(player)
        self._remark(Remark.TOO_MANY, player)

    def _lifted(self, player: Player, uid: bytes) -> None:
        pad = self.table.pad(player)
        gone = [tag.card for tag in pad.lying if tag.uid == uid]
        lying = tuple(tag for tag in pad.lying if tag.uid != uid)
        group = pad.group
        if group is not None:
            group = replace(group, waiting=tuple(card for card in group.waiting if card not in gone))
        must_clear = pad.must_clear and (bool(lying) or pad.crowded)
        self._set_pad(player, replace(pad, lying=lying, group=group, must_clear=must_clear))

    def _crowded(self, player: Player, crowded: bool) -> None:
        pad = self.table.pad(player)
        must_clear = crowded or (pad.must_clear and bool(pad.lying))
        group = None if crowded else pad.group
        self._set_pad(player, replace(pad, crowded=crowded, must_clear=must_clear, group=group))
        if crowded and self.table.stage is Stage.ROUND:
            self._remark(Remark.CLEAR_PAD, player)

    # ---- buttons ---------------------------------------------------------------------------

    def _pressed(self, event: Pressed) -> None:
        if event.press is Press.MENU:
            self.table = menus.toggle(self.table)
            return
        assert event.button is not None
        player = Player(event.button)
        if self.table.menu is not None:
            self._menu(player, event.press)
        elif event.press is Press.UNDO:
            self._undo(player)
        else:
            self._ok(player)

    def _undo(self, player: Player) -> None:
        """Take back, also a showdown that ended the round or the game."""
        if self.table.stage is not Stage.MAIN_MENU:
            self.judge(undo_event(player))

    def _ok(self, player: Player) -> None:
        table = self.table
        if table.stage is Stage.CLEAR:
            if table.pads_clear:
                self.table = replace(table, stage=Stage.ROUND, told=None, latest=None, motion=Motion())
                self.effects.append(Sound.ACCEPTED)
            else:
                self.effects.append(Sound.REJECTED)
                self._remark(Remark.CLEAR_FIRST, player)
        elif table.stage is Stage.OVER:
            won_ms = table.over_ms
            if won_ms is not None and self.now_ms >= won_ms + OVER_PAUSE_MS:
                self.table = menus.open_over(table)
        elif table.stage is Stage.ROUND:
            if table.pad(player).group is not None:
                self._close_group(player)
            self.judge(ok_event(player))

    # ---- menus -----------------------------------------------------------------------------

    def _menu(self, player: Player, press: Press) -> None:
        self.table, choice = menus.press(self.table, player, press)
        match choice:
            case None:
                pass
            case menus.Void():
                self.judge(VOID)
            case menus.EndGame():
                self.effects.append(End())
                self.table = menus.open_main(replace(self.table, stage=Stage.MAIN_MENU, told=None, motion=Motion()))
            case menus.NewGame():
                self.begin(replace(self.table.game.rules, mode=choice.mode))
            case menus.NameTag():
                self._name(choice.uid, choice.card)
            case _:
                assert_never(choice)

    def begin(self, rules: Rules) -> None:
        """A new game, with whatever lies on the pads now."""
        board = rules.mode is Mode.BOARD
        self.table = Table(
            new_game(rules),
            self.table.tags,
            stage=Stage.ROUND if board else Stage.CLEAR,
            pads=self._pads_without_groups(),
            parts=self.table.parts,
            read_order=self.table.read_order,
            woken_ms=self.now_ms,
        )
        self.effects.append(Begin(rules))

    def _name(self, uid: bytes, card: Card) -> None:
        old = next((tag for tag, named in self.table.tags.items() if named == card), None)
        tags = {tag: named for tag, named in self.table.tags.items() if named != card}
        tags[uid] = card
        pads = [replace(p, lying=tuple(Lying(t.uid, tags.get(t.uid)) for t in p.lying)) for p in self.table.pads]
        self.table = replace(self.table, tags=tags, pads=(pads[0], pads[1]), stranger=None)
        self.effects.append(Name(uid, card, old))
        self._remark(Remark.NAMED, None, card=card, uid=uid)

    # ---- the engine ------------------------------------------------------------------------

    def judge(self, event: Event) -> Verdict:
        """Give one event to the engine, and let the table show what came of it."""
        before = self.table.game
        game, verdict = judge(before, event)
        self.effects.append(Record(event))
        too_quick = verdict.problem is Problem.NOT_A_SET_OR_SEQUENCE and event.player is not before.round.attacker
        told = Told(self.now_ms, event.player, event, verdict, before.phase, card=event.card, uid=event.uid,
                    too_quick=too_quick)  # fmt: skip
        latest = self.table.latest
        if verdict.accepted:
            latest = told if game.past is not None and not verdict.undone else None
        self.table = replace(self.table, game=game, told=told, latest=latest)
        self._answer(verdict, event)
        self._change_stage(verdict, before.track)
        return verdict

    def _answer(self, verdict: Verdict, event: Event) -> None:
        """Sound and light for a verdict."""
        if verdict.fouls:
            self.effects.append(Sound.LATE_FOUL)
            for suspect in {suspect: None for foul in verdict.fouls for suspect in foul.suspects}:
                self._flash(suspect)
        elif verdict.problem is Problem.UNKNOWN_CARD:
            self.effects.append(Sound.UNKNOWN)
        elif not verdict.accepted:
            self.effects.append(Sound.REJECTED)
            if event.player is not None:
                self._flash(event.player)
        elif verdict.round_result is None:
            self.effects.append(Sound.ACCEPTED)
        if verdict.trick is not None or verdict.duel is not None:
            self.table = replace(self.table, deaf_until_ms=self.now_ms + DEAF_MS)

    def _change_stage(self, verdict: Verdict, before: Track) -> None:
        """Between rounds, over, or back in the round that an undo has brought back."""
        game = self.table.game
        board = game.rules.mode is Mode.BOARD
        if verdict.round_result is not None:
            glide = _way(before, verdict.round_result)
            motion = replace(self.table.motion, glide=glide, glide_ms=self.now_ms, won_ms=None)
            stage = Stage.ROUND if board else Stage.CLEAR
            if game.over:
                glide_end = self.now_ms + GLIDE_STEP_MS * len(motion.glide)
                stage, motion = Stage.OVER, replace(motion, won_ms=glide_end)
            self.effects.append(Sound.GAME_WON if game.over else Sound.ROUND_WON)
            self.table = replace(self.table, stage=stage, motion=motion, pads=self._pads_without_groups())
        elif verdict.undone and self.table.stage in (Stage.CLEAR, Stage.OVER):
            self.table = replace(self.table, stage=Stage.ROUND, motion=Motion())
        elif verdict.undone and board:
            self.table = replace(self.table, motion=Motion())

    # ---- small things ----------------------------------------------------------------------

    def _pads_without_groups(self) -> tuple[Pad, Pad]:
        yay, wow = self.table.pads
        return replace(yay, group=None), replace(wow, group=None)

    def _set_pad(self, player: Player, pad: Pad) -> None:
        self.table = with_pad(self.table, player, pad)

    def _remark(
        self, remark: Remark, player: Player | None, card: Card | None = None, uid: bytes | None = None
    ) -> None:
        self.table = replace(self.table, told=Told(self.now_ms, player, remark=remark, card=card, uid=uid))

    def _flash(self, player: Player) -> None:
        motion = self.table.motion
        others = tuple(flash for flash in motion.flashes if flash[0] is not player)
        self.table = replace(self.table, motion=replace(motion, flashes=(*others, (player, self.now_ms))))
