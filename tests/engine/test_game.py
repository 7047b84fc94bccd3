"""A whole game: moves, goals, void, undo, board mode, and its text forms."""

from __future__ import annotations

import dataclasses

import pytest

from engine.cards import PLAYERS, WOW, YAY, parse_card
from engine.events import card_event, ok_event, undo_event
from engine.game import judge, new_game
from engine.round import Phase
from tests.support.engine_games import dealt, told

TWO = "deck 1x1 2x2 3x2 4x2\nboard 2 2 2 2 2 2 2"
THREE = "deck 1x1 2x2 3x3 4x3 5x3 6x3\nboard 3 3 3 3 3 3 3"
FOUR = "deck 1x1 2x2 3x3 4x3 5x3 6x3\nboard 4 4 4 4 4 4 4"
BOTH = "arrows " + " ".join(["both"] * 7)
ATTACK = dealt("6a 5a 4a 3a", "6b 2a 2b 3b") + "\nyay 6a; wow 3b"
YAY_WINS = dealt("4a 1a", "4b 2a") + "\nyay 4a; wow 4b; yay 1a; wow 2a"


def test_four_rounds_in_a_row_win_the_game() -> None:
    after = told(TWO, BOTH, *[YAY_WINS] * 4)
    assert after.problems == []
    game = after.game
    assert (game.track.tacocat, game.track.covered, game.number) == (0, (1, 2, 3, 4), 4)
    assert game.over and game.winner is YAY and game.to_act == ()
    assert game.round.counts == (0, 0)


def test_covered_spaces_are_skipped_also_into_the_goal() -> None:
    game = told("mode board\nwow ok; yay ok; yay ok; yay ok; yay ok").game
    # 4 to 5, over 4 to 3, 2, 1, and home
    assert (game.track.tacocat, game.track.covered, game.winner) == (0, (1, 2, 3, 4, 5), YAY)
    assert told("mode board\nwow ok; yay ok").game.track.tacocat == 3
    skip = told("mode board\nyay ok; yay ok; yay ok; wow ok; wow ok; wow ok; wow ok")
    assert (skip.game.track.tacocat, skip.game.winner) == (8, WOW)


def test_the_hand_size_is_that_of_the_space() -> None:
    text = "mode referee\nlate-foul forfeit\nyay ok; wow ok; yay ok; wow ok; yay 12a; wow 1a"
    after = told(text, "yay 7a; wow 5a; yay 3a; wow 4a")  # yay wins by the late foul
    assert (after.game.track.tacocat, after.game.round.hand_size) == (3, 9)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yay 1a; yay 2a",
        dealt("1a 2a", "2b 3a", swap=True),
        dealt("1a 2a", "2b 3a"),
        dealt("1a 2a", "2b 3a") + "\nyay 2a; wow 3a; yay 1a",
    ],
)
def test_a_void_round_is_dealt_again_on_the_same_space(text: str) -> None:
    after = told(TWO, text, "void")
    game = after.game
    assert after.results == ["void"]
    assert (game.track.tacocat, game.track.covered, game.number, game.phase) == (4, (), 2, Phase.DEAL)
    assert game.round.counts == (0, 0)
    # and every card can be dealt again
    assert told(TWO, text, "void", dealt("1a 2a", "2b 3a")).problems == []


def test_a_void_cannot_be_undone_and_bars_what_was_before() -> None:
    after = told(TWO, "yay 1a; void; yay undo; wow undo")
    assert after.problems == [("yay undo", "nothing-to-undo"), ("wow undo", "nothing-to-undo")]


def test_a_game_that_is_over_cannot_be_void() -> None:
    assert told(TWO, BOTH, *[YAY_WINS] * 4, "void").problems == [("void", "game-over")]


# ---- undo ----


def test_undo_takes_back_one_event_at_a_time_as_far_as_they_are_ones_own() -> None:
    text = "yay 1a; wow 2a; yay 2b; yay 3a"
    after = told(THREE, text, "yay undo; yay undo; yay undo")
    assert after.problems == [("yay undo", "nothing-to-undo")], "wow's card is the latest now"
    assert after.game == told(THREE, "yay 1a; wow 2a").game
    assert told(THREE, text, "yay undo; yay undo; wow undo; yay undo").game == told(THREE).game


def test_what_was_taken_back_can_be_done_again_and_otherwise() -> None:
    after = told(THREE, "yay 1a; yay undo; yay 1a; yay undo; wow 1a")
    assert after.problems == []
    assert set(map(str, after.game.round.hands[1])) == {"1a"}


def test_the_deal_can_be_taken_back_from_the_replacement() -> None:
    whole = dealt("6a 5a 4a", "6b 3a 2a", swap=True)
    assert told(THREE, whole, "wow undo").game.phase is Phase.DEAL
    assert told(THREE, whole, "yay 6a; yay undo").game == told(THREE, whole).game


def test_an_ok_that_ended_the_replacement_can_be_taken_back() -> None:
    whole = dealt("6a 5a 4a", "6b 3a 2a", swap=True)
    after = told(THREE, whole, "yay ok; wow ok; wow undo; wow 3a")
    assert after.problems == [] and after.game.phase is Phase.REPLACE
    drawing = told(THREE, whole, "yay 6a; yay ok; yay undo; yay 5a")
    assert drawing.problems == [] and drawing.game.round.replaced == (2, 0)


def test_the_first_card_of_a_duel_can_be_taken_back_but_not_the_second() -> None:
    whole = dealt("6a 5a 4a", "6b 3a 2a")
    assert told(THREE, whole, "yay 6a; yay undo; yay 5a; wow 3a").problems == []
    assert told(THREE, whole, "yay 6a; wow 3a; wow undo").problems == [("wow undo", "nothing-to-undo")]
    assert told(THREE, whole, "yay 6a; wow 3a; yay 5a; yay undo; yay undo").problems == [
        ("yay undo", "nothing-to-undo")
    ]


def test_a_drawn_card_cannot_be_taken_back() -> None:
    whole = dealt("6a 5a 4a", "6b 3a 2a", swap=True)
    after = told(THREE, whole, "yay 6a; yay 5a; yay ok; yay 1a; yay undo")
    assert after.problems == [("yay undo", "nothing-to-undo")]


def test_undo_of_the_card_that_closed_an_attack_opens_it_again() -> None:
    five = FOUR.replace("4 4 4 4 4 4 4", "5 5 5 5 5 5 5")
    whole = dealt("6a 5a 4a 3a 1a", "6b 2a 2b 3b 5b") + "\nyay 6a; wow 3b; yay 3a"
    for answer in ("wow 6b", "wow 2a"):
        after = told(five, whole, answer, "wow undo")
        assert after.problems == []
        assert after.game == told(five, whole).game
        assert after.game.phase is Phase.ATTACK
    # the attack goes on, and so does the attacker's undo
    three = told(five, whole, "yay 4a; yay 5a; wow 6b; wow undo; yay undo; yay 5a; yay ok; wow 6b; wow 5b; wow 2a")
    assert three.problems == []
    assert told(five, whole, "wow 6b; wow undo; yay undo").game.round.attack == ()


def test_a_rejected_card_leaves_the_attack_closed() -> None:
    after = told(FOUR, ATTACK, "yay 5a; wow 3c; yay 4a; yay ok")
    assert after.problems == [
        ("wow 3c", "not-your-card"),
        ("yay 4a", "not-your-turn"),
        ("yay ok", "nothing-to-confirm"),
    ]
    assert after.game.phase is Phase.DEFEND
    # the attacker's own undo takes back the attacking card
    assert told(FOUR, ATTACK, "yay 5a; wow 3c; yay undo").game == told(FOUR, ATTACK).game


def test_after_a_rejected_play_an_undo_reaches_the_event_before_it() -> None:
    trick = "yay 5a; yay ok; wow 2a"  # given up: yay attacks again, with 4a and 3a left
    two = told(FOUR, ATTACK, trick, "yay 4a; yay ok; wow 6b")
    assert two.game.phase is Phase.SHOWDOWN
    whole = dealt("6a 5a 4a 4b 1a", "6b 2a 2b 3b 5b") + "\nyay 6a; wow 3b"
    five = FOUR.replace("4 4 4 4 4 4 4", "5 5 5 5 5 5 5")
    spoilt = told(five, whole, "yay 1a; wow 6b; wow 2a; wow 5b; wow ok")
    assert spoilt.problems == [("wow ok", "not-a-set-or-sequence")]
    undone = told(five, whole, "yay 1a; wow 6b; wow 2a; wow 5b; wow ok; wow undo")
    assert undone.problems == spoilt.problems
    assert undone.game == told(five, whole, "yay 1a").game
    # the rejected play's own events are gone: yay's 1a is next, and only yay can take it back
    assert told(five, whole, "yay 1a; wow 6b; wow 2a; wow 5b; wow ok; wow undo; wow undo").problems[1:] == [
        ("wow undo", "nothing-to-undo")
    ]


def test_a_completed_trick_can_be_taken_back_by_the_one_who_completed_it() -> None:
    after = told(FOUR, ATTACK, "yay 5a; wow 2a; wow undo; wow 6b")
    assert after.problems == []
    assert after.game.round.attacker is WOW


def test_a_completed_showdown_can_be_taken_back() -> None:
    one_before = YAY_WINS.removesuffix("; wow 2a")
    after = told(TWO, YAY_WINS, "wow undo")
    assert after.game == told(TWO, one_before).game
    assert told(TWO, YAY_WINS, "yay undo").problems == [("yay undo", "nothing-to-undo")]
    assert told(TWO, YAY_WINS, "wow undo; yay undo").game.round.shown == (None, None)


def test_a_showdown_that_ended_the_game_can_be_taken_back() -> None:
    after = told(TWO, BOTH, *[YAY_WINS] * 4, "yay 1a; wow undo")
    assert after.problems == [("yay 1a", "game-over")]
    game = after.game
    assert (game.phase, game.winner, game.track.tacocat, game.number) == (Phase.SHOWDOWN, None, 1, 4)
    assert game.track.covered == (2, 3, 4)
    assert told(TWO, BOTH, *[YAY_WINS] * 4, "wow undo; wow 2a").game.winner is YAY


def test_a_rejected_event_and_a_tag_are_nothing_to_undo() -> None:
    after = told(THREE, "yay 1a; yay 1a; yay tag 04a1b2c3; yay undo; yay undo")
    assert after.problems[2:] == [("yay undo", "nothing-to-undo")]


def test_the_last_event_can_be_undone_by_whose_it_was() -> None:
    assert told(THREE).game.undoable_by is None
    assert told(THREE, "yay 6a").game.undoable_by is YAY
    assert told(THREE, "yay 6a; wow 5a").game.undoable_by is WOW
    assert told(THREE, "yay 6a; wow 5a; wow undo").game.undoable_by is YAY
    assert told(THREE, "yay 6a; void").game.undoable_by is None


def test_can_ok_and_can_undo_say_what_would_be_accepted() -> None:
    for text in ("", "yay ok", "yay ok; wow ok", "yay ok; wow ok; yay ok", "yay ok; wow ok; yay ok; wow ok; yay 7a"):
        game = told("mode referee", text).game
        for player in PLAYERS:
            assert game.can_ok(player) is judge(game, ok_event(player))[1].accepted
            assert game.can_undo(player) is judge(game, undo_event(player))[1].accepted


# ---- board mode ----


def test_in_board_mode_an_ok_wins_a_round() -> None:
    game = told("mode board\nyay ok").game
    assert (game.track.tacocat, game.track.covered, game.number, game.phase) == (3, (4,), 2, Phase.BOARD)
    assert game.to_act == PLAYERS
    assert (game.round.hand_size, game.round.arrow) == (9, "wow")
    assert game.round.counts == (0, 0)


def test_in_board_mode_either_player_takes_the_latest_ok_back_also_at_the_end() -> None:
    text = "mode board\nyay ok; yay ok; yay ok; yay ok"
    assert told(text).game.winner is YAY
    for player in ("yay", "wow"):
        after = told(text, f"yay ok; {player} undo")
        assert after.problems == [("yay ok", "game-over")]
        assert (after.game.track.tacocat, after.game.phase) == (1, Phase.BOARD)
    assert told(text, "wow undo; yay undo; wow undo; yay undo").game == told("mode board").game


def test_in_board_mode_cards_tags_and_void_do_nothing() -> None:
    after = told("mode board\nyay ok; wow 7a; yay tag 04a1b2c3; void")
    assert after.problems == [
        ("wow 7a", "not-your-turn"),
        ("yay tag 04a1b2c3", "unknown-card"),
        ("void", "nothing-to-confirm"),
    ]
    assert after.game == told("mode board\nyay ok").game


# ---- values and their text ----


def test_a_game_is_a_frozen_value() -> None:
    game = new_game()
    with pytest.raises(dataclasses.FrozenInstanceError):
        game.number = 2  # type: ignore[misc]
    assert game == new_game() and hash(game) == hash(new_game())
    later, _ = judge(game, card_event(YAY, parse_card("7a")))
    assert game == new_game() != later


def test_a_game_in_one_line() -> None:
    game = told(TWO, YAY_WINS, "yay 1a").game
    assert str(game) == "round 2 deal yay:1 wow:0 tacocat 3 covered 4"


@pytest.mark.parametrize("face_down", ["", "yay 6a"])
def test_the_text_forms_show_no_hand_and_no_face_down_card(face_down: str) -> None:
    game = told(THREE, dealt("6a 5a 4a", "6b 3a 2a"), face_down).game
    for card in ("6a", "5a", "4a", "6b", "3a", "2a"):
        assert f"'{card}'" not in repr(game) and card not in str(game)
    assert "attack=()" in repr(game)


def test_cards_laid_open_are_shown() -> None:
    game = told(THREE, dealt("6a 5a 4a", "6b 3a 2a"), "yay 6a; wow 3a; yay 5a").game
    assert "attack=(parse_card('5a'),)" in repr(game)


def test_a_card_of_another_deck_is_a_programmers_fault() -> None:
    with pytest.raises(ValueError, match="yay 1b: the deck of this game has no card 1b"):
        judge(new_game(), card_event(YAY, parse_card("1b")))
