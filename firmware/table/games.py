"""Games at the table: begun, resumed, left, ended, continued in board mode; and a deck taught for them. Pure."""

from __future__ import annotations

from dataclasses import replace

from engine.cards import Card, Deck, Player
from engine.errors import RulesError
from engine.events import ok_event
from engine.game import Game, new_game
from engine.rules import Mode, Rules
from engine.transcript import Solo
from firmware.kept.deck import Tags
from firmware.table import teaching
from firmware.table.effects import Begin, End, KeepDeck, Name, Record, Resume, Sound
from firmware.table.menus import open_main
from firmware.table.row import places_of
from firmware.table.state import Motion, Offer, Opponent, Remark, Stage, Table, TagOnPad, stage_of, without_groups
from firmware.table.turn import Turn
from hardware.ports import Press

MOST_CHANCE = 1 << 59  # the seed of a game is less: it has at most 18 digits in a transcript


def begin_in(turn: Turn, mode: Mode) -> None:
    """A new game in that mode, by the settings of now; without a deck no card can be read: it is taught first."""
    table = turn.table
    if mode is not Mode.BOARD and not table.tags:
        teach(turn)
        return
    _begin(turn, _rules_in(table, mode))


def begin_again(turn: Turn) -> None:
    """A new game like the one that is over, also against the same opponent."""
    opponent = turn.table.opponent
    if opponent is None:
        begin_in(turn, turn.table.game.rules.mode)
    else:
        begin_solo(turn, opponent.side, opponent.solo.level)


def _rules_in(table: Table, mode: Mode) -> Rules:
    settings = table.settings
    return replace(table.game.rules, mode=mode, deck=_deck_of(table), tie=settings.tie, late_foul=settings.late_foul)


def _deck_of(table: Table) -> Deck:
    """The deck that the tags make up; a game that was resumed may have had another."""
    try:
        deck = Deck.of(table.tags.values())
        replace(table.game.rules, deck=deck)  # it must be enough for the board
    except RulesError:
        return table.game.rules.deck
    return deck


def _begin(turn: Turn, rules: Rules, opponent: Opponent | None = None) -> None:
    """A new game, with whatever lies on the pads now."""
    _play(turn, new_game(rules), opponent)
    turn.effects.append(Begin(rules, opponent.solo if opponent else None))


def begin_solo(turn: Turn, side: Player, level: str) -> None:
    """A new game against the table, which plays that side."""
    table = turn.table
    if not table.tags:
        teach(turn)
        return
    turn.table = replace(table, chance=_next_chance(table.chance))
    _begin(turn, _rules_in(table, Mode.PLAY), Opponent(Solo(side, level, table.chance)))


def _next_chance(chance: int) -> int:
    """Another number of the same size, each once before any comes again (a full-period congruence)."""
    return (chance * 6_364_136_223_846_793_005 + 1_442_695_040_888_963_407) % MOST_CHANCE


def _play(turn: Turn, game: Game, opponent: Opponent | None = None) -> None:
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
        tick=old.tick,
        opponent=opponent,
        alone=opponent.side.other if opponent else None,
        chance=old.chance,
        bot=old.bot,
    )


def resume(turn: Turn) -> None:
    """Resume the game that was offered. What lies on the pads counts for nothing until it is put down again."""
    offer = turn.table.offer
    assert offer is not None
    opponent = offer.opponent
    if opponent is not None and opponent.chosen is None:
        opponent = replace(opponent, question=None)  # what it thought of when the game was left is asked again
    _play(turn, offer.game, opponent)
    if opponent is not None and opponent.learning is None:
        held = offer.game.round.hands[opponent.side.seat]
        if held and turn.table.stage is Stage.ROUND:
            turn.remark(Remark.ROW, opponent.side, places=places_of(opponent.places, held))
    turn.effects.append(Resume(opponent.solo if opponent else None))


def leave(turn: Turn) -> None:
    """To the main menu; the game is kept, and offered again."""
    turn.table = open_main(turn.table, Offer(turn.table.game, turn.table.opponent))


def end(turn: Turn) -> None:
    """To the main menu; the game is kept, and not offered again."""
    turn.effects.append(End())
    turn.table = open_main(turn.table, offer=None)


def on_with_board(turn: Turn) -> None:
    """The readers are dead: a game in board mode, with the track as it stands."""
    track = turn.table.game.track
    _begin(turn, replace(turn.table.game.rules, mode=Mode.BOARD))
    for player in track.a_way_here():
        turn.judge(ok_event(player))
    # Nobody pressed these: they make the track, and are nothing to be told or heard of.
    turn.table = replace(turn.table, told=None, latest=None, motion=Motion())
    turn.effects = [effect for effect in turn.effects if isinstance(effect, Begin | Record)]


def name_tag(turn: Turn, uid: bytes, card: Card) -> None:
    """An unknown tag is from now on the tag of that card, also where it lies."""
    before = Tags.of(turn.table.tags)
    tags = before.named(uid, card)
    yay, wow = (replace(p, lying=tuple(TagOnPad(t.uid, tags.get(t.uid)) for t in p.lying)) for p in turn.table.pads)
    turn.table = replace(turn.table, tags=tags, pads=(yay, wow), unknown_tag=None)
    turn.effects.append(Name(uid, card, before.uid_of(card), tags))
    turn.remark(Remark.NAMED, None, card=card, uid=uid)


# ---- teaching a deck -----------------------------------------------------------------------


def teach(turn: Turn) -> None:
    turn.table = replace(turn.table, stage=Stage.TEACHING, menu=None, teaching=teaching.Teaching(), told=None)


def press_while_teaching(turn: Turn, press: Press) -> None:
    """ok: the next rank, and in the end the whole deck is kept; undo: a rank back, and from the first one away."""
    state = turn.table.teaching
    assert state is not None
    if press is Press.UNDO:
        back = teaching.back(state)
        table = turn.table
        turn.table = open_main(table, table.offer) if back is None else replace(table, teaching=back)
    elif not state.complete:
        turn.table = replace(turn.table, teaching=teaching.next_rank(state))
        turn.effects.append(Sound.ACCEPTED)
    elif teaching.why_not(state, turn.table.game.rules.board):
        turn.effects.append(Sound.REJECTED)
    else:
        _keep_deck(turn, teaching.tags_of(state))


def _keep_deck(turn: Turn, tags: Tags) -> None:
    rules = replace(turn.table.game.rules, deck=tags.deck)
    turn.table = open_main(replace(turn.table, tags=tags, game=new_game(rules)), offer=None)
    turn.effects += [KeepDeck(tags), Sound.ROUND_WON]
