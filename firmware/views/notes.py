"""The words for what has just happened: a verdict and its reason, a remark, or what can be taken back."""

from __future__ import annotations

from collections.abc import Iterable

from engine.cards import PLAYERS, Card, Player
from engine.round import Phase
from engine.verdict import Foul, Pairing, Problem, Result
from firmware.table.state import NOTICE_MS, Remark, Stage, Table, Told, idle_cards, lies_refused
from firmware.views.solo import listed_places, places_to_go_to, solo_note
from firmware.words import N_, Words

TURN_MS = 3000  # how long each of two notes is shown that take turns
FULL_PAD = 5  # cards that a pad can tell apart (docs/pads.md)
FACE_UP = (Phase.REPLACE, Phase.ATTACK, Phase.DEFEND)  # the phases in which cards are laid down open


def note_of(table: Table, now_ms: int, say: Words) -> str:
    """The note of the page: what is fresh and needs a word, else what can be taken back, else nothing.

    What somebody has to act on stays as long as that: a late foul until the other player has seen it, and once more
    when the round is over; why a card was refused until it is lifted. Two notes are shown by turns.
    """
    foul = _late_foul(table, say)
    if foul and table.stage is Stage.ROUND:
        return foul
    return _by_turns([foul, _present_note(table, now_ms, say)], now_ms)


def _present_note(table: Table, now_ms: int, say: Words) -> str:
    told, idle = table.told, _idle(table, say)
    if told is not None and now_ms - told.at_ms < NOTICE_MS:
        taken_back = told.verdict is not None and told.verdict.undone
        text = idle if taken_back and idle else solo_note(table, told, say) or _tell(told, say)
        if text:
            return text
    if told is not None and idle and lies_refused(table, told):
        return _by_turns([idle, _tell(told, say)], now_ms)
    return idle or _full_pad(table, say) or _can_be_undone(table, say)


def _by_turns(texts: list[str], now_ms: int) -> str:
    """Each of these texts in its turn, those that are empty left out."""
    some = [text for text in texts if text]
    return some[now_ms // TURN_MS % len(some)] if some else ""


def _late_foul(table: Table, say: Words) -> str:
    """The late foul that is still to be told: of the round, or of the one that is over."""
    foul = table.late_foul
    if foul is None or foul.verdict is None or (table.stage is Stage.ROUND and table.foul_read):
        return ""
    return _foul(foul.verdict.fouls[0], say)


def _idle(table: Table, say: Words) -> str:
    """How many cards lie there for nothing."""
    if table.stage is not Stage.ROUND or table.game.phase is Phase.BOARD:
        return ""
    if places := places_to_go_to(table):
        return _back_to(places, Remark.TAKEN_BACK, say)
    idle = sum(idle_cards(table, player) for player in PLAYERS)
    if not idle:
        return ""
    return say.many(
        "{n} card counts for nothing: lift, then put down again",
        "{n} cards count for nothing: lift, then put down again",
        idle,
    )


def _full_pad(table: Table, say: Words) -> str:
    """A reader tells no more cards apart than lie there now: the next one would be too many."""
    if table.stage is not Stage.ROUND:
        return ""
    for player in PLAYERS:
        if len(table.pad(player).lying) >= FULL_PAD and table.game.round.wanted(player):
            return say("{name}: pad full, clear it first", name=_name(player))
    return ""


def _can_be_undone(table: Table, say: Words) -> str:
    """ "7 played: hold to undo", for the player who could."""
    latest = table.latest
    if latest is None or _is_tables(table, latest.player):
        return ""
    player, card = _name(latest.player), latest.card
    if card is None:
        return say("{name} ok: hold to undo", name=player)
    if latest.phase in FACE_UP:
        return say("{name} {rank}: hold to undo", name=player, rank=card.rank)
    return say("{name}: hold to undo", name=player)


def _is_tables(table: Table, player: Player | None) -> bool:
    return table.opponent is not None and player is table.opponent.side


def _name(player: Player | None) -> str:
    assert player is not None  # whoever is named has done something
    return player.upper()


def _rank(told: Told) -> int:
    assert told.card is not None
    return told.card.rank


def _ranks(cards: Iterable[Card]) -> str:
    return " ".join(str(card.rank) for card in cards)


def _tell(told: Told, say: Words) -> str:
    if told.remark is not None:
        return _remark(told, told.remark, say)
    verdict = told.verdict
    assert verdict is not None
    if verdict.fouls:
        return _foul(verdict.fouls[0], say)
    if verdict.problem is not None:
        return _problem(told, verdict.problem, say)
    if verdict.showdown is not None and verdict.round_result is not None:
        return _showdown(verdict.showdown, verdict.round_result, say)
    if verdict.duel is not None:
        return _duel(verdict.duel, say)
    if verdict.trick is not None and not verdict.trick.holds:
        defender = _name(verdict.trick.attacker.other)
        return say("{name} gave up {ranks}", name=defender, ranks=_ranks(verdict.trick.answer))
    if verdict.trick is not None:
        defender = _name(verdict.trick.attacker.other)
        return say("{name} held with {ranks}", name=defender, ranks=_ranks(verdict.trick.answer))
    if verdict.kept_all:
        return say("{name} kept all: no swap", name=_name(told.player))
    if verdict.round_result is Result.VOID:
        return say("This round again")
    if verdict.undone:
        return say("{name} took it back", name=_name(told.player))
    return ""


def _problem(told: Told, problem: Problem, say: Words) -> str:
    verdict, player = told.verdict, told.player
    assert verdict is not None
    match problem:
        case Problem.UNKNOWN_CARD:
            return _unknown(told, say)
        case Problem.NOT_A_SET_OR_SEQUENCE if told.too_quick:
            assert player is not None
            return say("answered too soon: {name}, lay all again", name=_name(player.other))
        case Problem.NOT_A_SET_OR_SEQUENCE:
            return say("{ranks}: no set, no sequence", ranks=_ranks(verdict.attack))
        case Problem.MUST_DEFEND_OR_SACRIFICE_LOWEST:
            answer = _ranks(verdict.answer)
            return say("{ranks}: too low, and not your lowest", ranks=answer)
        case Problem.CARD_ALREADY_USED | Problem.NOT_YOUR_CARD if told.phase not in FACE_UP or told.drawing:
            return say(_FACE_DOWN[problem])  # it lies face down: its rank is not ours to tell
        case Problem.CARD_ALREADY_USED | Problem.NOT_YOUR_CARD:
            return say(_PROBLEMS[problem], name=_name(player), rank=_rank(told))
        case Problem.HAND_FULL:
            assert verdict.limit is not None
            return say.many("{name} has the {n} card", "{name} has all {n} cards", verdict.limit, name=_name(player))
        case Problem.TOO_MANY_REPLACED:
            assert verdict.limit is not None
            return say.many("No more than {n} card to replace", "No more than {n} cards to replace", verdict.limit)
    return say(_PROBLEMS[problem], name=_name(player))


_PROBLEMS = {
    Problem.GAME_OVER: N_("The game is over"),
    Problem.NOTHING_TO_CONFIRM: N_("{name}: nothing to confirm"),
    Problem.NOTHING_TO_UNDO: N_("{name}: nothing to undo"),
    Problem.NOT_YOUR_TURN: N_("{name}: not your turn"),
    Problem.CARD_ALREADY_USED: N_("{rank} was used already"),
    Problem.NOT_YOUR_CARD: N_("{rank} is not in {name}'s hand"),
    Problem.MUST_KEEP_LAST_CARD: N_("Keep your last card"),
}
_FACE_DOWN = {
    Problem.CARD_ALREADY_USED: N_("This card was used already"),
    Problem.NOT_YOUR_CARD: N_("This card is not in that hand"),
}


def _unknown(told: Told, say: Words) -> str:
    uid = told.uid or b""
    if len(uid) == 4 and uid[0] == 0x08:  # ISO/IEC 14443-3, 6.5.4: a random UID
        return say("A phone or bank card is no card: {uid}", uid=uid.hex())
    return say("Unknown tag {uid}", uid=uid.hex())


def _back_to(places: Iterable[int], remark: Remark, say: Words) -> str:
    return say(_REMARKS[remark], places=" ".join(map(str, places)))


def _remark(told: Told, remark: Remark, say: Words) -> str:
    match remark:
        case Remark.UNKNOWN_TAG:
            return _unknown(told, say)
        case Remark.ALREADY_SEEN:
            # it may lie face down now, but all have seen it
            return say("Was played already")
        case Remark.TAUGHT:
            return f"{_name(told.player)}: {(told.uid or b'').hex()}"  # which pad, which tag
        case Remark.OTHER_RANK:
            return say("This is a {rank} already", rank=_rank(told))
        case Remark.NAMED:
            return say("It is a {rank} now. Lift, then put down again", rank=_rank(told))
        case Remark.PUT_BACK | Remark.TAKEN_BACK:
            return _back_to(told.places, remark, say)
        case Remark.ROW:
            return say(_REMARKS[remark], places=listed_places(told.places))
        case Remark.STAND_IN:
            return say(_REMARKS[remark], name=told.stand_in)
        case Remark.NOT_OF_ROW:
            return say(_REMARKS[remark], name=_name(told.player))
    return say(_REMARKS[remark])


_REMARKS = {
    Remark.TOO_MANY: N_("One card too many: lift, one at a time"),
    Remark.CLEAR_PAD: N_("Cards cannot be told apart: clear the pad"),
    Remark.CLEAR_FIRST: N_("Clear the pads first"),
    Remark.OK_FIRST: N_("No card counts before ok"),
    Remark.TOO_SOON: N_("Too soon: lift, then put down again"),
    Remark.PUT_BACK: N_("Not this one: back to place {places}, face down"),
    Remark.NOT_OF_ROW: N_("No card of {name}'s row"),
    Remark.WAIT: N_("Wait: not all is laid yet"),
    Remark.TAKEN_BACK: N_("Back to place {places}, face down"),
    Remark.PLAYED_FOR: N_("The program failed: this was played for it"),
    Remark.STAND_IN: N_("The program failed: {name} plays on"),
    Remark.ROW: N_("In the row: {places}"),
    Remark.NO_WAY_BACK: N_("Too late: the table has played on"),
}


def _duel(duel: Pairing, say: Words) -> str:
    if duel.winner is None:
        return say("{yay} : {wow}, again", yay=duel.yay.rank, wow=duel.wow.rank)
    return say("{yay} : {wow}, {name} first", yay=duel.yay.rank, wow=duel.wow.rank, name=_name(duel.winner))


def _showdown(showdown: Pairing, result: Result, say: Words) -> str:
    ranks = {"yay": showdown.yay.rank, "wow": showdown.wow.rank}
    if result is Result.TIE:
        return say("{yay} : {wow}, a tie", **ranks)
    return say("{yay} : {wow}, {name} wins the round", **ranks, name=result.upper())


def _foul(foul: Foul, say: Words) -> str:
    """A late foul explains itself: the claim, and what disproves it."""
    gave = {player: foul.convicted[player.seat][-1] for player in PLAYERS if foul.convicted[player.seat]}
    if len(foul.suspects) == 2:
        return say("YAY gave up {yay}, WOW {wow}: both cannot be", yay=gave[Player.YAY], wow=gave[Player.WOW])
    (suspect,) = foul.suspects
    if foul.card is not None:
        return say(
            "{name} gave up {claim} but still held {rank}",
            name=_name(suspect),
            claim=gave[suspect],
            rank=foul.card.rank,
        )
    return say("{name} gave up {claim} but must hold a lower card", name=_name(suspect), claim=gave[suspect])
