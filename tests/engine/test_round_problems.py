"""Why an event is rejected: every problem, and for each two that can collide, which is named."""

from __future__ import annotations

import pytest

from engine.cards import parse_card
from engine.verdict import Problem
from tests.support.engine_games import dealt, told

# Three cards each, nine in the pile; in round 1 both may replace.
THREE = """
    deck 1x1 2x2 3x3 4x3 5x3 6x3
    board 3 3 3 3 3 3 3
    """
DEAL = dealt("6a 5a 4a", "6b 3a 2a")
DUEL_WON_BY_YAY = DEAL + "\nyay 6a; wow 3a"
TWO_LEFT = DUEL_WON_BY_YAY  # yay holds 5a 4a, wow 6b 2a
# Four cards each: yay attacks, holding 3a 4a 5a; wow holds 6b 2a 2b.
FOUR = "deck 1x1 2x2 3x3 4x3 5x3 6x3\nboard 4 4 4 4 4 4 4"
ATTACK = dealt("6a 5a 4a 3a", "6b 2a 2b 3b") + "\nyay 6a; wow 3b"
REFEREE = FOUR + "\nmode referee\nyay ok; wow ok"
REFEREE_ATTACK = REFEREE + "\nyay ok; wow ok; yay 6a; wow 3b"
# One round decides the game: the spaces next to the centre are the goals' neighbours after three rounds.
OVER = "mode board\nwow ok; wow ok; wow ok; wow ok"


def last_problem(*texts: str) -> str | None:
    verdict = told(*texts).last
    return verdict.problem.value if verdict.problem else None


@pytest.mark.parametrize("event", ["yay ok", "wow 7a", "yay tag 04a1b2c3", "void"])
def test_after_the_game_every_event_but_an_undo_is_game_over(event: str) -> None:
    assert last_problem(OVER, event) == "game-over"
    assert last_problem(OVER, "wow undo") is None


@pytest.mark.parametrize(
    "texts",
    [
        (THREE,),
        (THREE, DEAL),
        (FOUR, ATTACK, "yay 5a"),
        (FOUR, ATTACK, "yay 5a; yay ok"),
        ("mode referee",),
        ("mode board",),
    ],
)
@pytest.mark.parametrize("player", ["yay", "wow"])
def test_a_tag_is_an_unknown_card_in_every_phase(texts: tuple[str, ...], player: str) -> None:
    before, after = told(*texts), told(*texts, f"{player} tag 04a1b2c3d4e5f6")
    assert after.last.problem is Problem.UNKNOWN_CARD
    assert after.game == before.game


@pytest.mark.parametrize(
    ("texts", "event"),
    [
        ((THREE,), "yay ok"),  # deal, play mode
        (("mode referee\nyay ok",), "yay ok"),  # said already
        ((THREE, dealt("6a 5a 4a", "6b 3a 2a", swap=True), "yay 6a; yay ok"), "yay ok"),  # drawing
        ((THREE, dealt("6a 5a 4a", "6b 3a 2a", swap=True), "yay ok"), "yay ok"),  # done
        ((THREE, DEAL), "yay ok"),  # duel
        ((FOUR, ATTACK), "yay ok"),  # no attacking card read
        ((FOUR, ATTACK, "yay 5a"), "wow ok"),  # the defender's
        ((FOUR, ATTACK, "yay 5a; yay ok"), "yay ok"),  # closed already
        ((FOUR, ATTACK, "yay 5a; yay ok"), "wow ok"),
        (("mode board",), "void"),
    ],
)
def test_an_ok_that_closes_nothing_is_nothing_to_confirm(texts: tuple[str, ...], event: str) -> None:
    before, after = told(*texts), told(*texts, event)
    assert after.last.problem is Problem.NOTHING_TO_CONFIRM
    assert after.game == before.game


def test_the_one_whose_turn_it_is_not_cannot_confirm_a_replacement() -> None:
    later = "arrows yay yay yay yay yay yay yay\nmode referee\nvoid\nyay ok; wow ok"  # round 2: the arrow counts
    assert last_problem(later, "wow ok") == "nothing-to-confirm"
    assert last_problem(later, "yay ok") is None


@pytest.mark.parametrize(
    ("texts", "event"),
    [
        ((THREE,), "yay undo"),
        ((THREE, "yay 6a"), "wow undo"),  # the other's event
        ((THREE, "yay 6a; yay undo"), "yay undo"),
        ((THREE, "yay 6a; void"), "yay undo"),
        ((THREE, DUEL_WON_BY_YAY), "wow undo"),  # completed a duel
        ((THREE, DUEL_WON_BY_YAY), "yay undo"),
        ((THREE, dealt("6a 5a 4a", "6b 3a 2a", swap=True), "yay 6a; yay ok; yay 1a"), "yay undo"),  # a drawn card
        (("mode board",), "yay undo"),
    ],
)
def test_an_undo_with_nothing_to_take_back_is_refused(texts: tuple[str, ...], event: str) -> None:
    before, after = told(*texts), told(*texts, event)
    assert after.last.problem is Problem.NOTHING_TO_UNDO
    assert after.game == before.game


@pytest.mark.parametrize(
    ("texts", "event"),
    [
        (("mode referee",), "yay 7a"),  # deal, referee mode: any card
        (("mode referee\nyay ok",), "yay 7a"),
        ((THREE, dealt("6a 5a 4a", "6b 3a 2a", swap=True), "yay ok"), "yay 6a"),  # has replaced
        ((THREE, DEAL, "yay 6a"), "yay 5a"),  # a second card in the duel
        ((FOUR, ATTACK), "wow 6b"),  # no attacking card yet
        ((FOUR, ATTACK, "yay 5a; yay ok"), "yay 4a"),  # the attack is closed
        ((THREE, DUEL_WON_BY_YAY, "yay 5a; wow 6b; wow 2a"), "wow 6c"),  # a second card in the showdown
        (("mode board",), "yay 7a"),
    ],
)
def test_a_card_from_whom_none_is_expected_is_not_your_turn(texts: tuple[str, ...], event: str) -> None:
    before, after = told(*texts), told(*texts, event)
    assert after.last.problem is Problem.NOT_YOUR_TURN
    assert after.game == before.game


@pytest.mark.parametrize(
    ("texts", "event"),
    [
        ((THREE, "yay 6a"), "yay 6a"),  # dealt twice
        ((THREE, "yay 6a"), "wow 6a"),
        ((THREE, dealt("6a 5a 4a", "6b 3a 2a", swap=True), "yay 6a"), "yay 6a"),  # discarded
        ((THREE, dealt("6a 5a 4a", "6b 3a 2a", swap=True), "yay 6a; yay ok"), "yay 6a"),  # drawn: discarded before
        ((THREE, dealt("6a 5a 4a", "6b 3a 2a", swap=True), "yay 6a; yay ok"), "yay 5a"),  # drawn: held
        ((THREE, dealt("6a 5a 4a", "6b 3a 2a", swap=True), "yay 6a; yay ok"), "yay 6b"),  # drawn: held by the other
        ((THREE, DEAL, "yay 6a"), "wow 6a"),  # lies in the duel
        ((FOUR, ATTACK), "yay 3b"),  # was in the duel
        ((FOUR, ATTACK, "yay 5a"), "yay 5a"),  # in this attack
        ((FOUR, ATTACK, "yay 5a; yay ok"), "wow 5a"),
        ((REFEREE_ATTACK, "yay 5a; wow 6b"), "wow 5a"),  # played in an earlier trick
        ((THREE, DUEL_WON_BY_YAY, "yay 5a; wow 6b; wow 2a"), "yay 2a"),  # lies in the showdown
    ],
)
def test_a_card_seen_before_is_already_used(texts: tuple[str, ...], event: str) -> None:
    before, after = told(*texts), told(*texts, event)
    assert after.last.problem is Problem.CARD_ALREADY_USED
    assert after.game == before.game


@pytest.mark.parametrize(
    ("texts", "event"),
    [
        ((THREE, dealt("6a 5a 4a", "6b 3a 2a", swap=True)), "yay 6b"),
        ((THREE, DEAL), "yay 6b"),
        ((THREE, DEAL), "yay 1a"),
        ((FOUR, ATTACK), "yay 6b"),
        ((FOUR, ATTACK, "yay 5a; yay ok"), "wow 4a"),
        ((THREE, DUEL_WON_BY_YAY, "yay 5a; wow 6b"), "yay 6c"),
    ],
)
def test_a_card_that_is_not_in_the_hand_is_refused_in_play_mode(texts: tuple[str, ...], event: str) -> None:
    before, after = told(*texts), told(*texts, event)
    assert after.last.problem is Problem.NOT_YOUR_CARD
    assert after.game == before.game


def test_a_full_hand_takes_no_more_cards_and_the_verdict_says_how_many_it_holds() -> None:
    verdict = told(THREE, "yay 6a; yay 5a; yay 4a; yay 3a").last
    assert (verdict.problem, verdict.limit) == (Problem.HAND_FULL, 3)


def test_a_dealt_card_already_in_a_hand_comes_before_a_full_hand() -> None:
    assert last_problem(THREE, "yay 6a; yay 5a; yay 4a; yay 4a") == "card-already-used"
    assert last_problem(THREE, "wow 3a; yay 6a; yay 5a; yay 4a; yay 3a") == "card-already-used"


def test_the_second_to_replace_may_not_replace_more_than_the_first() -> None:
    later = "arrows yay yay yay yay yay yay yay\nmode referee\nvoid\nyay ok; wow ok"
    verdict = told(later, "yay 3a; yay ok; wow 4a; wow 4b").last
    assert (verdict.problem, verdict.limit) == (Problem.TOO_MANY_REPLACED, 1)


def test_what_is_not_in_the_hand_comes_before_too_many() -> None:
    short = "deck 1x1 2x2 3x2 4x2\nboard 3 3 3 3 3 3 3\n" + dealt("1a 2a 2b", "3a 3b 4a", swap=True)
    assert last_problem(short, "yay 2a; yay 3a") == "not-your-card"
    assert last_problem(short, "yay 2a; yay 2a") == "card-already-used"
    assert last_problem(short, "yay 2a; yay 2b") == "too-many-replaced"
    assert last_problem(short, "yay 2a; wow 4a") == "too-many-replaced"


def test_the_attacker_must_keep_the_last_card() -> None:
    before, after = told(THREE, DUEL_WON_BY_YAY, "yay 5a"), told(THREE, DUEL_WON_BY_YAY, "yay 5a; yay 4a")
    assert after.last.problem is Problem.MUST_KEEP_LAST_CARD
    assert after.game == before.game, "only that card is rejected: the attack goes on"


def test_a_used_or_foreign_card_comes_before_the_last_card() -> None:
    assert last_problem(THREE, DUEL_WON_BY_YAY, "yay 5a; yay 5a") == "card-already-used"
    assert last_problem(THREE, DUEL_WON_BY_YAY, "yay 5a; yay 6b") == "not-your-card"


@pytest.mark.parametrize("closing", ["yay ok", "wow 6b"])
def test_an_attack_is_judged_when_it_is_closed_and_taken_back_whole(closing: str) -> None:
    before, after = told(FOUR, ATTACK), told(FOUR, ATTACK, "yay 5a; yay 4a", closing)
    assert after.last.problem is Problem.NOT_A_SET_OR_SEQUENCE
    assert set(after.last.taken_back) == {parse_card("5a"), parse_card("4a")}
    assert after.game == before.game


@pytest.mark.parametrize(
    ("card", "problem"), [("wow 5a", "card-already-used"), ("wow 1a", "not-your-card"), ("wow 6b", None)]
)
def test_an_attack_is_judged_before_the_card_that_closes_it(card: str, problem: str | None) -> None:
    assert last_problem(FOUR, ATTACK, "yay 5a; yay 4a", card) == "not-a-set-or-sequence"
    after = told(FOUR, ATTACK, "yay 5a", card)
    assert after.last.problem == problem
    assert after.game.phase == ("defend" if problem else "attack")
    assert last_problem(FOUR, ATTACK, "yay 5a", card, "yay 4a") == "not-your-turn", "the attack stays closed"


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("wow 6b", None),
        ("wow 2a", None),
        ("wow 2b", None),
        ("wow 3a", "not-your-card"),
        ("wow 6a", "card-already-used"),
    ],
)
def test_one_card_answers_one_card(answer: str, problem: str | None) -> None:
    assert last_problem(FOUR, ATTACK, "yay 5a; yay ok", answer) == problem


def test_an_illegal_answer_is_taken_back_whole_and_its_last_card_rejected() -> None:
    hands = dealt("6a 5a 5b 5c", "6b 3b 4a 2b") + "\nyay 6a; wow 3b"
    before, after = told(FOUR, hands, "yay 5a; yay 5b; yay ok"), told(FOUR, hands, "yay 5a; yay 5b; wow 6b; wow 4a")
    assert after.last.problem is Problem.MUST_DEFEND_OR_SACRIFICE_LOWEST
    assert after.last.taken_back == (parse_card("6b"),)
    assert after.last.claim == 4
    assert after.game == before.game, "the attack stays closed"
    assert told(FOUR, hands, "yay 5a; yay 5b; wow 6b; wow 2b").last.accepted


def test_a_used_or_foreign_last_card_does_not_take_the_answer_back() -> None:
    hands = dealt("6a 5a 5b 5c", "6b 3b 4a 2b") + "\nyay 6a; wow 3b"
    for card, problem in (("wow 6b", "card-already-used"), ("wow 1a", "not-your-card")):
        after = told(FOUR, hands, "yay 5a; yay 5b; wow 6b", card)
        assert after.last.problem == problem
        assert after.game.round.answer == (parse_card("6b"),)


def test_an_answer_that_no_hidden_hand_allows_is_rejected_in_referee_mode() -> None:
    """Two of the three 6s are seen and the only 5 is given up: of the two cards still held one is below 5."""
    one_five = "deck 1x1 2x2 3x3 4x3 5x1 6x3\nboard 4 4 4 4 4 4 4\nmode referee\n"
    trick = one_five + "yay ok; wow ok; yay ok; wow ok; yay 6a; wow 3b; yay 6b"
    after = told(trick, "wow 5a")
    assert after.last.problem is Problem.MUST_DEFEND_OR_SACRIFICE_LOWEST
    assert after.last.claim == 5
    assert not after.last.fouls
    assert told(trick, "wow 5a; wow 4a").last.accepted


def test_the_list_of_problems_is_in_the_order_of_the_rules() -> None:
    assert [problem.value for problem in Problem] == [
        "game-over",
        "unknown-card",
        "nothing-to-confirm",
        "nothing-to-undo",
        "not-your-turn",
        "card-already-used",
        "not-your-card",
        "hand-full",
        "too-many-replaced",
        "must-keep-last-card",
        "not-a-set-or-sequence",
        "must-defend-or-sacrifice-lowest",
    ]


@pytest.mark.parametrize(
    ("texts", "event", "problem"),
    [
        # not-your-turn before card-already-used: a card of the pile wobbles on the pad of the one who waits
        ((FOUR, ATTACK), "wow 3b", "not-your-turn"),
        ((THREE, DEAL, "yay 6a"), "yay 6a", "not-your-turn"),
        ((FOUR, ATTACK, "yay 5a; yay ok"), "yay 5a", "not-your-turn"),
        # not-your-turn before not-your-card
        ((FOUR, ATTACK), "wow 4a", "not-your-turn"),
        # card-already-used before not-your-card: it was the other's
        ((THREE, DEAL, "yay 6a"), "wow 6a", "card-already-used"),
        # hand-full is only for the deal: when both are full it is over, and not-your-card applies
        ((THREE, dealt("6a 5a 4a", "6b 3a 2a", swap=True)), "yay 1a", "not-your-card"),
        # card-already-used before too-many-replaced (referee mode: four cards, a pile of seven)
        ((REFEREE, "yay 2a; yay 2b; yay 3a; yay 3b"), "yay 3b", "card-already-used"),
        ((REFEREE, "yay 2a; yay 2b; yay 3a; yay 3b"), "yay 3c", "too-many-replaced"),
        # not-your-turn before too-many-replaced
        ((REFEREE, "yay 2a; yay 2b; yay 3a; yay ok"), "yay 3c", "not-your-turn"),
        # card-already-used before must-keep-last-card (referee mode)
        ((REFEREE_ATTACK, "yay 5a; yay 4a"), "yay 4a", "card-already-used"),
        ((REFEREE_ATTACK, "yay 5a; yay 4a"), "yay 3a", "must-keep-last-card"),
        # card-already-used before must-defend-or-sacrifice-lowest
        ((REFEREE_ATTACK, "yay 6b; wow 5a"), "wow 5a", "not-your-turn"),
        ((REFEREE_ATTACK, "yay 6b; yay 6c; wow 5a"), "wow 5a", "card-already-used"),
    ],
)
def test_of_two_problems_the_first_is_named(texts: tuple[str, ...], event: str, problem: str) -> None:
    assert last_problem(*texts, event) == problem


def test_an_illegal_answer_of_three_cards_goes_back_to_the_hand_whole() -> None:
    five = FOUR.replace("4 4 4 4 4 4 4", "5 5 5 5 5 5 5")
    hands = dealt("6a 5a 5b 5c 4a", "6b 3b 4b 4c 2b") + "\nyay 6a; wow 3b"
    before = told(five, hands, "yay 5a; yay 5b; yay 5c; yay ok")
    after = told(five, hands, "yay 5a; yay 5b; yay 5c; wow 6b; wow 4b; wow 4c")
    assert after.problems == [("wow 4c", "must-defend-or-sacrifice-lowest")]
    assert after.last.taken_back == (parse_card("6b"), parse_card("4b"))
    assert after.game == before.game
    assert after.game.round.counts == (1, 4)
