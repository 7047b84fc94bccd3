"""What a referee proves of hidden hands: claims, late fouls, and both house rules."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.cards import WOW, YAY, Player, parse_card
from engine.phases import find_fouls
from engine.round import Phase
from engine.rules import LateFoul, Mode, Rules
from tests.support.engine_games import dealt, told

START = "yay ok; wow ok; yay ok; wow ok"
# The printed deck, hands of 7. yay attacks first.
PRINTED = f"mode referee\n{START}; yay 12a; wow 1a"
FORFEIT = f"late-foul forfeit\n{PRINTED}"


def test_a_sacrifice_claims_its_rank_and_a_defence_claims_nothing() -> None:
    assert told(PRINTED, "yay 7a; wow 5a").game.round.claims == ((), (5,))
    assert told(PRINTED, "yay 7a; wow 7b").game.round.claims == ((), ())
    # two of three given up: the higher of the two is the claim
    three = told(PRINTED, "yay 7a; yay 7b; yay 7c; yay ok; wow 9a; wow 3a; wow 5a")
    assert three.game.round.claims == ((), (5,))
    assert three.last.trick is not None and three.last.trick.sacrificed == 2


def test_a_card_below_a_claim_is_a_late_foul_whatever_it_is_played_for() -> None:
    in_an_answer = told(PRINTED, "yay 7a; wow 5a; yay 3a; wow 4a")
    assert in_an_answer.fouls == [("wow 4a", "wow", ((), (5,)))]
    assert in_an_answer.last.accepted and in_an_answer.last.fouls[0].card == parse_card("4a")
    in_an_attack = told(PRINTED, "yay 7a; wow 5a; yay 3a; wow 6a; wow 4a")
    assert in_an_attack.fouls == [("wow 4a", "wow", ((), (5,)))]
    two = f"mode referee\nboard 3 3 3 3 3 3 3\n{START}; yay 12a; wow 1a"
    in_the_showdown = told(two, "yay 7a; wow 5a; yay 9a; wow 4a")
    assert in_the_showdown.fouls == [("wow 4a", "wow", ((), (5,)))]
    assert in_the_showdown.results == ["wow"], "with the house rule note play goes on: the lower card wins"


def test_a_card_as_low_as_the_claim_is_none() -> None:
    assert told(PRINTED, "yay 7a; wow 5a; yay 5b; wow 5c").fouls == []


def test_in_play_mode_a_sacrifice_is_no_claim() -> None:
    """Both hands are known: there is nothing to be proved later."""
    hands = dealt("12a 7a 3a 3b 3c 3d 3e", "1a 4a 5a 5b 5c 5d 5e")
    after = told(hands, "yay 12a; wow 1a; yay 7a; wow 4a")
    assert after.problems == [] and after.game.round.tricks[-1].sacrificed == 1
    assert after.game.round.claims == ((), ())


def test_only_the_claims_above_the_card_are_convicted_and_each_once() -> None:
    text = "yay 7a; wow 3a; yay 7b; wow 6a; yay 8a; wow 7c"  # claims 3, 6, 7
    before = told(PRINTED, text)
    assert before.game.round.claims == ((), (3, 6, 7)) and before.fouls == []
    after = told(PRINTED, text, "yay 3b; wow 4a; yay 3c; wow 5a; yay 4b")
    assert after.fouls == [("wow 4a", "wow", ((), (6, 7)))]
    # what stands can still be disproved: a 2 is below 3
    assert told(PRINTED, text, "yay 3b; wow 4a; wow 2a").fouls[1:] == [("wow 2a", "wow", ((), (3,)))]


def test_the_first_low_card_of_several_carries_the_foul() -> None:
    after = told(PRINTED, "yay 7a; wow 5a; yay 9a; yay 9b; yay ok; wow 4a; wow 3a")
    assert after.fouls == [("wow 4a", "wow", ((), (5,)))]
    assert after.game.round.claims == ((), (4,)), "the answer's own claim is made after that"


FEW_HIGH = "mode referee\ndeck 1x6 2x3 8x2 9x3\nboard 4 4 4 4 4 4 4\n"


def test_the_count_of_the_unseen_cards_convicts_one_player_alone() -> None:
    """wow gives up an 8 and holds two cards: nothing below 8. One 8 and one 9 are left; then yay plays the 9."""
    text = f"{FEW_HIGH}{START}; yay 9a; wow 1a; yay 9b; wow 8a"
    assert told(text).fouls == []
    after = told(text, "yay 9c")
    assert after.fouls == [("yay 9c", "wow", ((), (8,)))]
    assert after.last.fouls[0].card is None
    assert after.game.phase is Phase.ATTACK, "noted, and play goes on"


# After wow's claim of 7 and yay's of 6 each holds one card; of 6 or more only 7b is unseen.
EXCLUDING = "mode referee\ndeck 1x8 6x1 7x2 8x2 9x2\nboard 5 5 5 5 5 5 5\n"
EXCLUDE = "yay 9a; wow 1a; yay 8a; wow 7a; yay 1b; wow 8b; wow 9b; yay 6a"


def test_two_claims_that_exclude_each_other_make_both_suspects() -> None:
    after = told(EXCLUDING, START, EXCLUDE)
    assert after.problems == []
    assert after.fouls == [("yay 6a", "yay+wow", ((6,), (7,)))]
    assert after.last.fouls[0].suspects == (YAY, WOW)
    assert after.last.fouls[0].card is None
    assert after.game.round.claims == ((), ())
    assert after.last.accepted and after.game.phase is Phase.SHOWDOWN


def test_with_one_more_high_card_unseen_both_can_be_true() -> None:
    assert told(EXCLUDING.replace("6x1", "6x2"), START, EXCLUDE).fouls == []


# yay claims 5, wow claims 10; then yay gives up a 9 and a 3: the 3 is below 5, and the new claim of 9 leaves both
# to hold the one card of 9 or more that is unseen.
DOUBLE = "mode referee\ndeck 1x4 3x2 5x6 6x1 9x2 10x2 11x1 12x3\nboard 8 8 8 8 8 8 8\n"
DOUBLY = (
    "yay 1a; wow 5f; wow 6a; yay 5a; wow 1b; yay 9b; yay 12a; wow 10a; yay 5b; wow 11a; "
    "wow 12b; wow 12c; wow ok; yay 9a; yay 3a"
)


def test_one_event_can_carry_a_foul_by_the_card_and_one_by_the_count() -> None:
    after = told(DOUBLE, START, DOUBLY)
    assert after.problems == []
    assert after.fouls == [("yay 3a", "yay", ((5,), ())), ("yay 3a", "yay+wow", ((9,), (10,)))]
    assert [foul.card for foul in after.last.fouls] == [parse_card("3a"), None]


def test_under_forfeit_the_first_of_two_fouls_ends_the_round_and_is_the_only_one() -> None:
    after = told("late-foul forfeit", DOUBLE, START, DOUBLY)
    assert after.fouls == [("yay 3a", "yay", ((5,), ()))]
    assert after.results == ["wow"]


def test_an_impossible_answer_is_rejected_before_its_card_can_be_a_late_foul() -> None:
    """yay has claimed 5; giving up a 9 and a 3 claims 9 with two more cards, but one such card is left."""
    header = "mode referee\ndeck 1x4 3x2 5x6 6x1 9x2 12x2\nboard 6 6 6 6 6 6 6\n"
    text = "yay 1a; wow 5f; wow 6a; yay 5a; wow 12a; wow 12b; wow ok; yay 9a; yay 3a"
    after = told(header, START, text)
    assert after.problems == [("yay 3a", "must-defend-or-sacrifice-lowest")]
    assert after.fouls == []
    assert after.last.claim == 9
    # with one more 9 unseen the claim can be true, and the 3 is the late foul
    assert told(header.replace("9x2", "9x3"), START, text).fouls == [("yay 3a", "yay", ((5,), ()))]


def test_a_play_taken_back_takes_its_claims_and_seen_cards_with_it() -> None:
    text = "yay 7a; wow 5a"
    undone = told(PRINTED, text, "wow undo")
    assert undone.game == told(PRINTED, "yay 7a").game
    assert undone.game.round.claims == ((), ())
    assert told(PRINTED, text, "wow undo; wow 8a; wow 4a").fouls == []


def test_a_late_foul_in_a_play_taken_back_stands_and_is_reported_again() -> None:
    text = "yay 7a; wow 5a; yay 3a; wow 3b"  # claim 5, then wow answers 3b below it: reported
    assert len(told(PRINTED, text).fouls) == 1
    attack = "yay 7a; wow 5a; yay 3a; wow 6a"  # wow attacks
    spoilt = told(PRINTED, attack, "wow 4a; wow 8a; wow ok; wow 4a")
    assert spoilt.problems == [("wow ok", "not-a-set-or-sequence")]
    assert spoilt.fouls == [("wow 4a", "wow", ((), (5,)))] * 2


def test_an_event_with_a_late_foul_cannot_be_undone() -> None:
    after = told(PRINTED, "yay 7a; wow 5a; yay 3a; wow 4a; wow undo; yay undo")
    assert after.problems == [("wow undo", "nothing-to-undo"), ("yay undo", "nothing-to-undo")]


def test_the_next_deal_forgets_claims_and_seen_cards() -> None:
    after = told(PRINTED, "yay 7a; wow 5a; void", START, "yay 12a; wow 1a; yay 7a; wow 4a")
    assert after.fouls == [] and after.problems == []


@pytest.mark.parametrize(("text", "result", "tacocat"), [("yay 7a; wow 5a; yay 3a; wow 4a", "yay", 3)])
def test_under_forfeit_the_other_player_wins_at_once(text: str, result: str, tacocat: int) -> None:
    after = told(FORFEIT, text)
    assert after.results == [result]
    assert (after.game.track.tacocat, after.game.number, after.game.phase) == (tacocat, 2, Phase.DEAL)
    assert after.last.trick is None, "what else the event would have caused is not judged any more"


def test_under_forfeit_two_suspects_make_a_tie_also_under_tie_arrow() -> None:
    house = "late-foul forfeit\ntie arrow\narrows " + " ".join(["yay"] * 7)
    after = told(house, EXCLUDING, "void; yay ok; wow ok; yay ok", EXCLUDE)
    assert after.problems == []
    assert [(event, who) for event, who, _ in after.fouls] == [("yay 6a", "yay+wow")]
    assert after.results == ["void", "tie"]
    assert after.game.track.tacocat == 4 and after.game.track.covered == ()


@pytest.mark.parametrize(("house", "suspects"), [(LateFoul.NOTE, [YAY, WOW]), (LateFoul.FORFEIT, [YAY])])
def test_of_two_claims_that_one_card_disproves_a_forfeit_tells_the_first(
    house: LateFoul, suspects: list[Player]
) -> None:
    """yay keeps 3 cards and says now that none is below 5, wow 2 and none below 10; two such cards are unseen."""
    unseen = (0, 9, 9, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0)
    state = replace(told(PRINTED).game.round, unseen=unseen, counts=(3, 2), claims=((), (10,)))
    after, fouls = find_fouls(state, Rules(Mode.REFEREE, late_foul=house), YAY, parse_card("10a"), claim=5)
    assert [foul.suspects for foul in fouls] == [(suspect,) for suspect in suspects]
    assert after.claims == ((), ())


def test_a_forfeit_that_ends_the_game_leaves_the_cards_in_the_hands() -> None:
    lose = f"{START}; yay 12a; wow 1a; yay 11a; wow 5a; yay 3a; wow 4a"
    header = "mode referee\nlate-foul forfeit\nboard 5 5 5 5 5 5 5\narrows " + " ".join(["both"] * 7)
    after = told(header, *[lose] * 4)
    assert after.results == ["yay"] * 4
    assert after.game.over and after.game.winner is YAY
    assert after.game.round.counts == (2, 2)
    assert told(header, *[lose] * 4, "wow undo; yay undo").problems == [
        ("wow undo", "nothing-to-undo"),
        ("yay undo", "nothing-to-undo"),
    ]


def test_in_play_mode_there_are_no_late_fouls() -> None:
    assert "hidden=False" in repr(told("mode play").game.round)
    assert told("mode play").game.round.claims == ((), ())
