"""What a card or an ok does in each phase of a round (docs/rules.md, A round)."""

from __future__ import annotations

from dataclasses import replace

from engine.board import Arrow
from engine.cards import Card, Player
from engine.claims import convict_by_card, convict_by_count, highest, possible_alone
from engine.plays import claimed_rank, is_attack, is_legal_answer, sacrifices
from engine.round import Outcome, Phase, Round, Swap, give, put, take
from engine.rules import LateFoul, Rules, Tie
from engine.verdict import Foul, Pairing, Problem, Result, Trick, Verdict


def refuse(problem: Problem, limit: int | None = None) -> Outcome:
    return Outcome(Verdict(problem, limit=limit))


# ---- ok -----------------------------------------------------------------------------------


def press_ok(state: Round, player: Player) -> Outcome:
    """The outcome of an ok."""
    if not state.can_ok(player):
        return refuse(Problem.NOTHING_TO_CONFIRM)
    if state.phase is Phase.DEAL:
        return _say_dealt(state, player)
    if state.phase is Phase.REPLACE:
        return _end_discards(state, player)
    if not is_attack([card.rank for card in state.attack]):
        return _spoilt_attack(state)
    return Outcome(Verdict(), replace(state, phase=Phase.DEFEND))


def _say_dealt(state: Round, player: Player) -> Outcome:
    state = replace(state, ready=state.ready | {player})
    if len(state.ready) == 2:
        state = _start_replace(replace(state, counts=(state.hand_size, state.hand_size)))
    return Outcome(Verdict(), state)


def _start_replace(state: Round) -> Round:
    if state.arrow is Arrow.BOTH:
        swap = (Swap.DISCARDING, Swap.DISCARDING)
    elif state.arrow is Arrow.YAY:
        swap = (Swap.DISCARDING, Swap.WAITING)
    else:
        swap = (Swap.WAITING, Swap.DISCARDING)
    return replace(state, phase=Phase.REPLACE, swap=swap)


def _end_discards(state: Round, player: Player) -> Outcome:
    i = player.seat
    if state.replaced[i] and not state.hidden:
        return Outcome(Verdict(), _set_swap(state, player, Swap.DRAWING))
    if state.hidden:
        state = replace(state, counts=put(state.counts, player, state.hand_size))
    kept_all = not state.replaced[i] and state.swap[player.other.seat] is Swap.WAITING
    return Outcome(Verdict(kept_all=kept_all), _end_swap(state, player))


def _set_swap(state: Round, player: Player, swap: Swap) -> Round:
    return replace(state, swap=put(state.swap, player, swap))


def _end_swap(state: Round, player: Player) -> Round:
    """This player has replaced; the other follows, or the duel does."""
    state = _set_swap(state, player, Swap.DONE)
    if state.swap[player.other.seat] is Swap.WAITING:
        # as many as the first at most: none, if the first kept all
        first_kept_all = not state.replaced[player.seat]
        state = _set_swap(state, player.other, Swap.DONE if first_kept_all else Swap.DISCARDING)
    if state.swap == (Swap.DONE, Swap.DONE):
        state = replace(state, phase=Phase.DUEL)
    return state


# ---- cards --------------------------------------------------------------------------------


def read_card(state: Round, rules: Rules, player: Player, card: Card) -> Outcome:
    """The outcome of a card of the deck that this player's pad has read."""
    match state.phase:
        case Phase.DEAL:
            return _deal(state, player, card)
        case Phase.REPLACE:
            return _swap_card(state, player, card)
        case Phase.DUEL:
            return _duel_card(state, player, card)
        case Phase.ATTACK if player is state.attacker:
            return _attack_card(state, rules, player, card)
        case Phase.ATTACK if state.attack:
            return _close_by_answer(state, rules, player, card)
        case Phase.DEFEND if player is not state.attacker:
            return _answer_card(state, rules, player, card)
        case Phase.SHOWDOWN:
            return _showdown_card(state, rules, player, card)
    return refuse(Problem.NOT_YOUR_TURN)


def _problem_of(state: Round, player: Player, card: Card) -> Problem | None:
    """Why this card cannot leave this player's hand."""
    if card in state.used:
        return Problem.CARD_ALREADY_USED
    if not state.hidden and card not in state.hands[player.seat]:
        return Problem.NOT_YOUR_CARD
    return None


def _deal(state: Round, player: Player, card: Card) -> Outcome:
    if state.hidden:
        return refuse(Problem.NOT_YOUR_TURN)
    if card in state.hands[0] or card in state.hands[1]:
        return refuse(Problem.CARD_ALREADY_USED)
    if state.count(player) == state.hand_size:
        return refuse(Problem.HAND_FULL, state.hand_size)
    state = give(state, player, card)
    if state.counts == (state.hand_size, state.hand_size):
        state = _start_replace(state)
    return Outcome(Verdict(), state)


def _swap_card(state: Round, player: Player, card: Card) -> Outcome:
    i = player.seat
    if state.swap[i] is Swap.DRAWING:
        if card in state.used or card in state.hands[0] or card in state.hands[1]:
            return refuse(Problem.CARD_ALREADY_USED)
        state = give(state, player, card, drawn=put(state.drawn, player, state.drawn[i] + 1))
        if state.drawn[i] == state.replaced[i]:
            state = _end_swap(state, player)
        return Outcome(Verdict(), state, final=True)
    if state.swap[i] is not Swap.DISCARDING:
        return refuse(Problem.NOT_YOUR_TURN)
    if problem := _problem_of(state, player, card):
        return refuse(problem)
    if not state.may_still_replace(player):
        return refuse(Problem.TOO_MANY_REPLACED, state.replaced[i])
    discards = put(state.discards, player, (*state.discards[i], card))
    replaced = put(state.replaced, player, state.replaced[i] + 1)
    return Outcome(Verdict(), take(state, player, card, discards=discards, replaced=replaced))


def _show(state: Round, player: Player, card: Card) -> Round:
    return take(state, player, card, shown=put(state.shown, player, card))


def _duel_card(state: Round, player: Player, card: Card) -> Outcome:
    if state.shown[player.seat] is not None:
        return refuse(Problem.NOT_YOUR_TURN)
    if problem := _problem_of(state, player, card):
        return refuse(problem)
    state = _show(state, player, card)
    yay, wow = state.shown
    if yay is None or wow is None:
        return Outcome(Verdict(), state)
    winner = None if yay.rank == wow.rank else Player.YAY if yay.rank > wow.rank else Player.WOW
    pairing = Pairing(yay, wow, winner)
    state = replace(state, shown=(None, None), duels=(*state.duels, pairing))
    if state.counts == (1, 1):
        state = replace(state, phase=Phase.SHOWDOWN)
    elif winner is not None:
        state = replace(state, phase=Phase.ATTACK, attacker=winner)
    return Outcome(Verdict(duel=pairing), state, final=True)


def _attack_card(state: Round, rules: Rules, player: Player, card: Card) -> Outcome:
    if problem := _problem_of(state, player, card):
        return refuse(problem)
    if state.count(player) == 1:
        return refuse(Problem.MUST_KEEP_LAST_CARD)
    before = state
    state = take(state, player, card, attack=(*state.attack, card))
    state, fouls = find_fouls(state, rules, player, card)
    return Outcome(
        Verdict(fouls=fouls),
        state,
        restart=None if before.attack else before,
        final=bool(fouls),
        result=_forfeit(rules, fouls),
    )


def _spoilt_attack(state: Round) -> Outcome:
    return Outcome(Verdict(Problem.NOT_A_SET_OR_SEQUENCE, attack=state.attack, taken_back=state.attack), take_back=True)


def _close_by_answer(state: Round, rules: Rules, player: Player, card: Card) -> Outcome:
    """The defender's card closes the attack, whatever then becomes of the card."""
    if not is_attack([attacking.rank for attacking in state.attack]):
        return _spoilt_attack(state)
    closed = replace(state, phase=Phase.DEFEND)
    outcome = _answer_card(closed, rules, player, card)
    return outcome if outcome.round is not None else replace(outcome, round=closed)


def _answer_card(state: Round, rules: Rules, player: Player, card: Card) -> Outcome:
    if problem := _problem_of(state, player, card):
        return refuse(problem)
    before = state
    state = take(state, player, card, answer=(*state.answer, card))
    claim: int | None = None
    complete = len(state.answer) == len(state.attack)
    if complete:
        attack, answer = [c.rank for c in state.attack], [c.rank for c in state.answer]
        claim = claimed_rank(attack, answer)
        if not _can_be_legal(state, player, attack, answer, claim):
            verdict = Verdict(
                Problem.MUST_DEFEND_OR_SACRIFICE_LOWEST,
                attack=state.attack,
                answer=state.answer,
                claim=claim,
                taken_back=before.answer,
            )
            return Outcome(verdict, take_back=bool(before.answer))
    state, fouls = find_fouls(state, rules, player, card, claim)
    result = _forfeit(rules, fouls)
    trick = None
    if complete and result is None:
        state, trick = _end_trick(state, player)
    return Outcome(
        Verdict(fouls=fouls, trick=trick),
        state,
        restart=None if before.answer else before,
        final=bool(fouls),
        result=result,
    )


def _can_be_legal(state: Round, player: Player, attack: list[int], answer: list[int], claim: int | None) -> bool:
    if not state.hidden:
        return is_legal_answer(attack, answer, (card.rank for card in state.hands[player.seat]))
    return claim is None or possible_alone(state.unseen, state.count(player), claim)


def _end_trick(state: Round, defender: Player) -> tuple[Round, Trick]:
    short = sacrifices([c.rank for c in state.attack], [c.rank for c in state.answer])
    trick = Trick(defender.other, state.attack, state.answer, short)
    phase = Phase.SHOWDOWN if state.counts == (1, 1) else Phase.ATTACK
    attacker = defender if trick.holds else defender.other
    tricks = (*state.tricks, trick)
    return replace(state, attack=(), answer=(), attacker=attacker, phase=phase, tricks=tricks), trick


def _showdown_card(state: Round, rules: Rules, player: Player, card: Card) -> Outcome:
    if state.shown[player.seat] is not None:
        return refuse(Problem.NOT_YOUR_TURN)
    if problem := _problem_of(state, player, card):
        return refuse(problem)
    state = _show(state, player, card)
    state, fouls = find_fouls(state, rules, player, card)
    result = _forfeit(rules, fouls)
    pairing = None
    yay, wow = state.shown
    if result is None and yay is not None and wow is not None:
        result = _lower_wins(state, rules, yay, wow)
        pairing = Pairing(yay, wow, None if result is Result.TIE else Player(result))
    return Outcome(Verdict(fouls=fouls, showdown=pairing), state, final=bool(fouls), result=result)


def _lower_wins(state: Round, rules: Rules, yay: Card, wow: Card) -> Result:
    if yay.rank != wow.rank:
        return Result.YAY if yay.rank < wow.rank else Result.WOW
    if rules.tie is Tie.ARROW and state.arrow is not Arrow.BOTH:
        return Result(state.arrow)
    return Result.TIE


# ---- late fouls ---------------------------------------------------------------------------


def find_fouls(
    state: Round, rules: Rules, player: Player, card: Card, claim: int | None = None
) -> tuple[Round, tuple[Foul, ...]]:
    """What an accepted card, and the claim made with it, prove of earlier claims (referee mode)."""
    if not state.hidden or (claim is None and state.claims == ((), ())):
        return state, ()
    fouls: list[Foul] = []
    claims = state.claims
    if card.rank < highest(claims[player.seat]):
        stand, gone = convict_by_card(claims[player.seat], card.rank)
        claims = put(claims, player, stand)
        fouls.append(Foul((player,), put(((), ()), player, gone), card))
    if not (fouls and rules.late_foul is LateFoul.FORFEIT):
        if claim is not None:
            claims = put(claims, player, (*claims[player.seat], claim))
        for suspects, stand_both, gone_both in convict_by_count(state.unseen, state.counts, claims):
            claims = stand_both
            fouls.append(Foul(suspects, gone_both))
    if rules.late_foul is LateFoul.FORFEIT:
        del fouls[1:]
    return replace(state, claims=claims), tuple(fouls)


def _forfeit(rules: Rules, fouls: tuple[Foul, ...]) -> Result | None:
    """How a late foul ends the round, under the house rule that it does."""
    if not fouls or rules.late_foul is LateFoul.NOTE:
        return None
    suspects = fouls[0].suspects
    return Result(suspects[0].other) if len(suspects) == 1 else Result.TIE
