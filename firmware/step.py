"""One step of the table: what a card, a press or the time does. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from engine.cards import PLAYERS, Deck, Player
from engine.errors import RulesError
from engine.events import VOID, ok_event, undo_event
from engine.game import Game, new_game
from engine.rules import Mode, Rules
from firmware import enroll, placing
from firmware import menu as menus
from firmware.deck import Tags
from firmware.settings import Settings
from firmware.table import (
    FOUND_MS,
    OVER_PAUSE_MS,
    Begin,
    CheckParts,
    Effect,
    End,
    GoOn,
    KeepDeck,
    KeepSettings,
    Lying,
    Motion,
    Name,
    Record,
    Remark,
    Sound,
    Stage,
    SwitchOff,
    Table,
    TableEvent,
    Tick,
    stage_of,
    without_groups,
)
from firmware.turn import Turn
from hardware.ports import Crowded, Health, Holding, Lifted, PartState, Placed, Press, Pressed


def step(table: Table, event: TableEvent) -> tuple[Table, tuple[Effect, ...]]:
    """The table after `event`, and what is to be done. Never raises for anything that hands can do."""
    turn = Turn(table, event.at_ms)
    _take(turn, event)
    return turn.table, tuple(turn.effects)


def _take(turn: Turn, event: TableEvent) -> None:
    if not isinstance(event, Tick | PartState):
        turn.table = replace(turn.table, woken_ms=turn.now_ms)
    match event:
        case Tick():
            placing.close_due_groups(turn)
            turn.table = menus.turn_page(turn.table, turn.now_ms)
        case PartState():
            _part(turn, event)
        case Placed():
            placing.placed(turn, Player(event.pad), event.uid, event.at_ms)
        case Lifted():
            placing.lifted(turn, Player(event.pad), event.uid)
        case Crowded():
            placing.crowded(turn, Player(event.pad), event.crowded)
        case Holding():
            holding = None if event.since_ms is None else (Player(event.button), event.since_ms)
            turn.table = replace(turn.table, holding=holding)
        case Pressed():
            took_cards = _takes_cards(turn.table)
            _pressed(turn, event)
            if _takes_cards(turn.table) and not took_cards:  # what lies there since before this press is no play
                deaf_until_ms = max(turn.table.deaf_until_ms, turn.now_ms)
                turn.table = replace(turn.table, deaf_until_ms=deaf_until_ms)
        case _:
            assert_never(event)


def _part(turn: Turn, event: PartState) -> None:
    """A part says how it is."""
    others = tuple(part for part in turn.table.parts if part.part != event.part)
    turn.table = replace(turn.table, parts=(*others, event))
    for player in PLAYERS:
        if event.part == f"pad {player}":
            _reader(turn, player, event)


def _reader(turn: Turn, player: Player, event: PartState) -> None:
    """A reader that begins to work tells of cards that lay there before; it may fail again before it has told them."""
    pad = turn.table.pad(player)
    if pad.found_ms is None or event.at_ms <= pad.found_ms:
        found_ms = event.at_ms + FOUND_MS if event.health is Health.CONNECTED else None
        turn.set_pad(player, replace(pad, found_ms=found_ms))


# ---- buttons -------------------------------------------------------------------------------


def _takes_cards(table: Table) -> bool:
    """Whether a card that comes now can be a play."""
    return table.stage is Stage.ROUND and table.menu is None


def _pressed(turn: Turn, event: Pressed) -> None:
    if event.press is Press.MENU:
        turn.table = menus.toggle(turn.table)
        return
    assert event.button is not None
    player = Player(event.button)
    if turn.table.menu is not None:
        turn.table, choice = menus.press(turn.table, player, event.press)
        if choice is not None:
            _chosen(turn, choice)
    elif turn.table.stage is Stage.ENROLL:
        _enroll(turn, event.press)
    elif event.press is Press.UNDO:
        turn.judge(undo_event(player))  # also a showdown that ended the round or the game
    else:
        _ok(turn, player)


def _ok(turn: Turn, player: Player) -> None:
    table = turn.table
    if table.stage is Stage.CLEAR:
        if table.pads_clear:
            turn.table = replace(table, stage=Stage.ROUND, told=None, latest=None, motion=Motion())
            turn.effects.append(Sound.ACCEPTED)
        else:
            turn.effects.append(Sound.REJECTED)
            turn.remark(Remark.CLEAR_FIRST, player)
    elif table.stage is Stage.OVER:
        won_ms = table.over_ms
        if won_ms is not None and turn.now_ms >= won_ms + OVER_PAUSE_MS:
            turn.table = menus.open_over(table)
    elif table.stage is Stage.ROUND:
        if table.pad(player).group is not None:
            placing.close_group(turn, player)
        if turn.table.game.phase is table.game.phase:  # else the waiting card has ended what the ok was meant for
            turn.judge(ok_event(player))


# ---- what was chosen in a menu -------------------------------------------------------------


def _chosen(turn: Turn, choice: menus.Choice) -> None:
    match choice:
        case menus.Void():
            turn.judge(VOID)
        case menus.EndGame():
            turn.effects.append(End())
            turn.table = menus.open_main(turn.table, offer=None)
        case menus.Leave():
            turn.table = menus.open_main(turn.table, offer=turn.table.game)
        case menus.NewGame() if choice.mode is not Mode.BOARD and not turn.table.tags:
            _teach(turn)  # without a deck no card can be read
        case menus.NewGame():
            settings = turn.table.settings
            rules = turn.table.game.rules
            deck = _deck_of(turn.table)
            begin(turn, replace(rules, mode=choice.mode, deck=deck, tie=settings.tie, late_foul=settings.late_foul))
        case menus.OnWithBoard():
            _on_with_board(turn)
        case menus.Resume():
            _go_on(turn)
        case menus.NameTag():
            _name(turn, choice)
        case menus.Change():
            _change(turn, choice.settings)
        case menus.Teach():
            _teach(turn)
        case menus.Look():
            turn.effects.append(CheckParts())
        case menus.Off():
            turn.effects.append(SwitchOff())
        case _:
            assert_never(choice)


def _deck_of(table: Table) -> Deck:
    """The deck that the tags make up; a game that was gone on with may have had another."""
    try:
        deck = Deck.of(table.tags.values())
        replace(table.game.rules, deck=deck)  # it must be enough for the board
    except RulesError:
        return table.game.rules.deck
    return deck


def begin(turn: Turn, rules: Rules) -> None:
    """A new game, with whatever lies on the pads now."""
    _sit_down(turn, new_game(rules))
    turn.effects.append(Begin(rules))


def _sit_down(turn: Turn, game: Game) -> None:
    old = without_groups(turn.table)
    turn.table = Table(
        game,
        old.tags,
        stage=stage_of(game),
        pads=old.pads,
        parts=old.parts,
        settings=old.settings,
        read_order=old.read_order,
        woken_ms=turn.now_ms,
        can_switch_off=old.can_switch_off,
    )


def _go_on(turn: Turn) -> None:
    """Go on with the game that was offered. What lies on the pads counts for nothing until it is put down again."""
    game = turn.table.offer
    assert game is not None
    _sit_down(turn, game)
    turn.effects.append(GoOn())


def _on_with_board(turn: Turn) -> None:
    """The readers are dead: a game in board mode, with the track as it stands."""
    track = turn.table.game.track
    begin(turn, replace(turn.table.game.rules, mode=Mode.BOARD))
    for player in track.a_way_here():
        turn.judge(ok_event(player))
    # Nobody pressed these: they make the track, and are nothing to be told or heard of.
    turn.table = replace(turn.table, told=None, latest=None, motion=Motion())
    turn.effects = [effect for effect in turn.effects if isinstance(effect, Begin | Record)]


def _change(turn: Turn, settings: Settings) -> None:
    turn.table = replace(turn.table, settings=settings)
    turn.effects.append(KeepSettings(settings))


def _name(turn: Turn, choice: menus.NameTag) -> None:
    uid, card = choice.uid, choice.card
    before = Tags.of(turn.table.tags)
    tags = before.named(uid, card)
    pads = [replace(p, lying=tuple(Lying(t.uid, tags.get(t.uid)) for t in p.lying)) for p in turn.table.pads]
    turn.table = replace(turn.table, tags=tags, pads=(pads[0], pads[1]), stranger=None)
    turn.effects.append(Name(uid, card, before.uid_of(card), tags))
    turn.remark(Remark.NAMED, None, card=card, uid=uid)


# ---- teaching a deck -----------------------------------------------------------------------


def _teach(turn: Turn) -> None:
    turn.table = replace(turn.table, stage=Stage.ENROLL, menu=None, enroll=enroll.Enroll(), told=None)


def _enroll(turn: Turn, press: Press) -> None:
    state = turn.table.enroll
    assert state is not None
    if press is Press.UNDO:
        state = enroll.back(state)
        turn.table = (
            menus.open_main(turn.table, turn.table.offer) if state is None else replace(turn.table, enroll=state)
        )
        return
    if not state.complete:
        turn.table = replace(turn.table, enroll=enroll.go_on(state))
        turn.effects.append(Sound.ACCEPTED)
        return
    if enroll.why_not(state, turn.table.game.rules.board):
        turn.effects.append(Sound.REJECTED)
        return
    tags = enroll.tags_of(state)
    rules = replace(turn.table.game.rules, deck=tags.deck)
    turn.table = replace(turn.table, tags=tags, game=new_game(rules))
    turn.table = menus.open_main(turn.table, offer=None)
    turn.effects += [KeepDeck(tags), Sound.ROUND_WON]
