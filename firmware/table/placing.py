"""From placed to played: which cards on a pad are meant as plays, and when (docs/device.md)."""

from __future__ import annotations

from dataclasses import replace

from engine.cards import PLAYERS, Card, Player
from engine.events import card_event, tag_event, undo_event
from engine.round import Phase, Swap
from engine.rules import Mode
from firmware.table import laying, solo, teaching
from firmware.table.effects import Sound
from firmware.table.state import GROUP_MS, PHONE_MS, Group, Remark, Stage, TagOnPad
from firmware.table.turn import Turn
from hardware.iso14443a import is_random


def noticed(turn: Turn, player: Player, uid: bytes, seen_ms: int) -> None:
    """A tag was read for the first time: it is shown that the pad feels it, and nothing else comes of it yet."""
    pad = turn.table.pad(player)
    if any(tag.uid == uid for tag in pad.lying):
        return
    turn.set_pad(player, replace(pad.without_coming(uid), coming=(*pad.without_coming(uid).coming, (uid, seen_ms))))
    if turn.table.tick:
        turn.effects.append(Sound.NOTICED)


def passed(turn: Turn, player: Player, uid: bytes) -> None:
    """A tag that was noticed has gone on. One that an ok has confirmed is lifted."""
    turn.set_pad(player, turn.table.pad(player).without_coming(uid))
    if any(tag.uid == uid for tag in turn.table.pad(player).lying):
        lifted(turn, player, uid)


def confirm_coming(turn: Turn, player: Player) -> None:
    """An ok means the cards that were noticed before it: a hand that presses has let go of them.

    Only where several cards are laid and an ok ends them. Elsewhere the ok means something else, and the card that
    comes just then may be on its way past.
    """
    state = turn.table.game.round
    lays_attack = state.phase is Phase.ATTACK and player is state.attacker
    if turn.table.stage is Stage.ROUND and (lays_attack or state.swap[player.seat] is Swap.DISCARDING):
        for uid, seen_ms in turn.table.pad(player).coming:
            placed(turn, player, uid, seen_ms)


def placed(turn: Turn, player: Player, uid: bytes, seen_ms: int) -> None:
    """A tag has come to lie on a pad; `seen_ms` is when it was first seen."""
    card = turn.table.tags.get(uid)
    if card not in turn.table.game.rules.deck:
        card = None  # a card of this table, but not of this game: it was begun with another deck
    pad = turn.table.pad(player).without_coming(uid)
    turn.set_pad(player, pad)
    if any(tag.uid == uid for tag in pad.lying):
        return
    same_phone = is_random(uid) and pad.phone_ms is not None and seen_ms - pad.phone_ms < PHONE_MS
    phone_ms = turn.now_ms if is_random(uid) else pad.phone_ms
    turn.set_pad(player, replace(pad, lying=(*pad.lying, TagOnPad(uid, card)), phone_ms=phone_ms))
    if same_phone:
        return  # it makes up another UID whenever the field begins afresh, which is no news
    if turn.table.stage is Stage.TEACHING:
        _taught(turn, player, uid)
    elif card is None:
        _unknown_tag(turn, player, uid)
    elif _counts_now(turn, player, card, seen_ms) and not laying.takes(turn, player, card):
        _join_group(turn, player, card, seen_ms)


def _taught(turn: Turn, player: Player, uid: bytes) -> None:
    """While a deck is taught, a tag gets the rank that is asked for."""
    assert turn.table.teaching is not None
    state, answer = teaching.read(turn.table.teaching, uid)
    turn.table = replace(turn.table, teaching=state)
    if answer is teaching.TeachResult.COUNTED:
        turn.effects.append(Sound.ACCEPTED)
        turn.remark(Remark.TAUGHT, player, uid=uid)
    elif answer is not teaching.TeachResult.AGAIN:
        turn.effects.append(Sound.REJECTED)
        turn.flash(player)
        known = state.rank_of(uid)
        if answer is teaching.TeachResult.TOO_MANY:
            turn.remark(Remark.TOO_MANY, player)
        elif known is not None:
            turn.remark(Remark.OTHER_RANK, player, card=Card(known, "a"), uid=uid)
        else:
            turn.remark(Remark.UNKNOWN_TAG, player, uid=uid)


def _unknown_tag(turn: Turn, player: Player, uid: bytes) -> None:
    turn.table = replace(turn.table, unknown_tag=uid)
    if turn.table.stage is Stage.ROUND and turn.table.menu is None:
        turn.judge(tag_event(player, uid))
    elif turn.table.stage is not Stage.MAIN_MENU:
        turn.effects.append(Sound.UNKNOWN)
        turn.remark(Remark.UNKNOWN_TAG, player, uid=uid)


def _counts_now(turn: Turn, player: Player, card: Card, seen_ms: int) -> bool:
    """Whether a card that has come to lie on a pad can be meant as a play at all."""
    table = turn.table
    order = tuple(other for other in table.read_order if other != card)
    turn.table = table = replace(table, read_order=(*order, card))
    if table.stage is Stage.CLEAR and table.menu is None:
        turn.remark(Remark.OK_FIRST, player)
    if table.stage is not Stage.ROUND or table.menu is not None or table.game.rules.mode is Mode.BOARD:
        return False
    if table.pad(player).must_clear:
        turn.remark(Remark.CLEAR_PAD, player)
        return False
    state = table.game.round
    if card in state.used | _in_hand(turn, player) and not laying.is_of_row(table, player, card):
        turn.remark(Remark.ALREADY_SEEN, player, card=card)
        return False
    found_ms = table.pad(player).found_ms
    if seen_ms < table.ignore_until_ms or (found_ms is not None and seen_ms < found_ms):
        turn.remark(Remark.TOO_SOON, player, card=card)
        return False
    return True


def _in_hand(turn: Turn, player: Player) -> frozenset[Card]:
    """Cards that this pad has just dealt or drawn to its player: the same card again is no new one."""
    state = turn.table.game.round
    takes_cards = state.phase is Phase.DEAL or state.swap[player.seat] is Swap.DRAWING
    return state.hands[player.seat] if takes_cards else frozenset()


def _join_group(turn: Turn, player: Player, card: Card, seen_ms: int) -> None:
    pad = turn.table.pad(player)
    group = pad.group or Group(seen_ms)
    turn.set_pad(player, replace(pad, group=replace(group, waiting=(*group.waiting, card))))
    if not _waits(turn, player):
        _judge_waiting(turn, player)


def _waits(turn: Turn, player: Player) -> bool:
    """Whether a card must wait for its group: wherever one more could be one too many for good.

    Attacks and discards can be taken back card by card, so they count at once.
    """
    if solo.holds(turn.table, player):
        return True
    state = turn.table.game.round
    own_attack = state.phase is Phase.ATTACK and player is state.attacker
    discards = state.swap[player.seat] is Swap.DISCARDING
    return not (own_attack or discards) or _wanted(turn, player) <= 1


def _wanted(turn: Turn, player: Player) -> int:
    """How many cards may come together from this player now: deals and draws one at a time."""
    state = turn.table.game.round
    one_by_one = state.phase is Phase.DEAL or state.swap[player.seat] is Swap.DRAWING
    wanted = state.wanted(player)
    return min(wanted, 1) if one_by_one else wanted


def _judge_waiting(turn: Turn, player: Player) -> None:
    pad = turn.table.pad(player)
    assert pad.group is not None
    cards = pad.group.waiting
    turn.set_pad(player, replace(pad, group=replace(pad.group, waiting=())))
    for card in cards:
        verdict = turn.judge(card_event(player, card))
        group = turn.table.pad(player).group
        if verdict.accepted and group is not None:
            group = replace(group, counted=group.counted + 1)
            turn.set_pad(player, replace(turn.table.pad(player), group=group))
        if turn.table.stage is not Stage.ROUND:
            break


def close_due_groups(turn: Turn) -> None:
    """Judge the groups whose time is over."""
    for player in PLAYERS:
        group = turn.table.pad(player).group
        is_whole = group is not None and turn.now_ms - group.began_ms >= GROUP_MS
        if is_whole and not solo.holds(turn.table, player):
            close_group(turn, player)


def close_group(turn: Turn, player: Player) -> None:
    """The group is whole: its cards count together, or none of them."""
    group = turn.table.pad(player).group
    assert group is not None
    wanted = _wanted(turn, player)
    if wanted and len(group.waiting) > wanted:
        _too_many(turn, player)
    elif wanted:
        _judge_waiting(turn, player)
    elif group.waiting:  # not this player's turn: one card is enough to be told so
        turn.judge(card_event(player, group.waiting[0]))
    turn.set_pad(player, replace(turn.table.pad(player), group=None))


def _too_many(turn: Turn, player: Player) -> None:
    """None of the group counts: what counted at once is taken back."""
    group = turn.table.pad(player).group
    assert group is not None
    for _ in range(group.counted):
        if not turn.table.game.can_undo(player):
            break  # a card that brought a late foul to light stays
        turn.judge(undo_event(player))
    turn.effects.append(Sound.REJECTED)
    turn.flash(player)
    turn.remark(Remark.TOO_MANY, player)


def lifted(turn: Turn, player: Player, uid: bytes) -> None:
    """A tag has left a pad."""
    pad = turn.table.pad(player)
    gone = [tag.card for tag in pad.lying if tag.uid == uid]
    lying = tuple(tag for tag in pad.lying if tag.uid != uid)
    group = pad.group
    if group is not None:
        group = replace(group, waiting=tuple(card for card in group.waiting if card not in gone))
    laying.lifted(turn, player, gone)
    must_clear = pad.must_clear and (bool(lying) or pad.crowded)
    phone_ms = turn.now_ms if is_random(uid) else pad.phone_ms
    turn.set_pad(player, replace(pad, lying=lying, group=group, must_clear=must_clear, phone_ms=phone_ms))


def crowded(turn: Turn, player: Player, crowded: bool) -> None:
    """The cards on a pad cannot be told apart, or can be again."""
    pad = turn.table.pad(player)
    must_clear = crowded or bool(pad.lying)
    turn.set_pad(player, replace(pad, crowded=crowded, must_clear=must_clear, group=None))
    if crowded and turn.table.stage in (Stage.ROUND, Stage.TEACHING):
        turn.remark(Remark.CLEAR_PAD, player)
