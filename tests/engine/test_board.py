"""The printed board, the track on it, and the rules that hold deck and board together."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board import (
    DEFAULT_BOARD,
    Arrow,
    Board,
    Track,
    format_arrows,
    format_hand_sizes,
    parse_arrows,
    parse_hand_sizes,
)
from engine.cards import PLAYERS, WOW, YAY, Player, parse_deck
from engine.errors import ParseError, RulesError
from engine.rules import Rules

BOARDS = st.builds(Board, st.tuples(*[st.integers(2, 19)] * 7), st.tuples(*[st.sampled_from(list(Arrow))] * 7))


def test_the_printed_board_points_at_the_player_behind() -> None:
    assert DEFAULT_BOARD.hand_sizes == (4, 6, 9, 7, 9, 6, 4)
    assert [DEFAULT_BOARD.arrow(space) for space in range(1, 8)] == ["wow"] * 3 + ["both"] + ["yay"] * 3
    assert DEFAULT_BOARD.hand_size(3) == 9


@given(BOARDS)
def test_a_board_is_read_as_it_is_written(board: Board) -> None:
    assert Board(parse_hand_sizes(format_hand_sizes(board)), parse_arrows(format_arrows(board))) == board
    assert eval(repr(board)) == board


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "7 hand sizes are expected"),
        ("4 6 9 7 9 6", "7 hand sizes are expected"),
        ("4 6 9 7 9 6 4 4", "7 hand sizes are expected"),
        ("4 6 9 x 9 6 4", "7 hand sizes are expected"),
        ("4 6 9 -7 9 6 4", "7 hand sizes are expected"),
        ("4 6 9 07 9 6 4", "7 hand sizes are expected"),
        ("4 6 9 7 9 6 " + "4" * 5000, "7 hand sizes are expected"),
        ("4 6 9 ٧ 9 6 4", "7 hand sizes are expected"),
        ("4 6 1 7 9 6 4", "hand size 1 on space 3: at least 2 is needed"),
        ("4 6 9 7 9 6 0", "hand size 0 on space 7"),
    ],
)
def test_faulty_hand_sizes_are_refused_with_what_is_expected(text: str, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        parse_hand_sizes(text)


@pytest.mark.parametrize("text", ["", "wow", "wow wow wow both yay yay", "wow wow wow BOTH yay yay yay"])
def test_faulty_arrows_are_refused_with_what_is_expected(text: str) -> None:
    with pytest.raises(ParseError, match="7 arrows are expected, each yay, wow or both"):
        parse_arrows(text)


def test_a_board_made_in_code_is_checked_too() -> None:
    with pytest.raises(RulesError, match="6 hand sizes on the board: 7 are expected"):
        Board((4,) * 6, (Arrow.BOTH,) * 7)
    with pytest.raises(RulesError, match="8 arrows on the board: 7 are expected"):
        Board((4,) * 7, (Arrow.BOTH,) * 8)
    with pytest.raises(RulesError, match="hand size 1 on space 7"):
        Board((4,) * 6 + (1,), (Arrow.BOTH,) * 7)


def test_two_full_hands_must_come_out_of_the_deck() -> None:
    deck = parse_deck("3x18")
    Rules(deck=deck)  # the largest hand size is 9
    with pytest.raises(RulesError, match=r"two hands of 9 cards \(space 3\) cannot be dealt from a deck of 17: .* 8 "):
        Rules(deck=parse_deck("3x17"))


@pytest.mark.parametrize("space", range(1, 8))
def test_the_hands_of_every_space_must_come_out_of_the_deck(space: int) -> None:
    sizes = tuple(3 if place == space else 2 for place in range(1, 8))
    Rules(deck=parse_deck("3x6"), board=Board(sizes, DEFAULT_BOARD.arrows))
    with pytest.raises(RulesError, match=rf"two hands of 3 cards \(space {space}\) cannot be dealt"):
        Rules(deck=parse_deck("3x5"), board=Board(sizes, DEFAULT_BOARD.arrows))


@pytest.mark.parametrize(
    ("tacocat", "covered", "winner", "then", "then_covered"),
    [
        (4, (), YAY, 3, (4,)),
        (4, (), WOW, 5, (4,)),
        (3, (4,), WOW, 5, (3, 4)),
        (2, (3, 4), WOW, 5, (2, 3, 4)),
        (5, (2, 3, 4), YAY, 1, (2, 3, 4, 5)),
        (5, (1, 2, 3, 4), YAY, 0, (1, 2, 3, 4, 5)),  # over the covered spaces into the goal
        (1, (2, 3, 4), YAY, 0, (1, 2, 3, 4)),
        (6, (4, 5, 7), WOW, 8, (4, 5, 6, 7)),
    ],
)
def test_tacocat_moves_on_over_covered_spaces(
    tacocat: int, covered: tuple[int, ...], winner: Player, then: int, then_covered: tuple[int, ...]
) -> None:
    assert Track(tacocat, covered).moved(winner) == Track(then, then_covered)


@given(st.lists(st.sampled_from(PLAYERS), min_size=7, max_size=7))
def test_seven_rounds_always_bring_tacocat_home(winners: list[Player]) -> None:
    track = Track()
    for rounds, winner in enumerate(winners, 1):
        if track.winner is not None:
            break
        path = track.path(winner)
        before, track = track, track.moved(winner)
        assert path[-1] == track.tacocat not in track.covered
        assert all(space in before.covered for space in path[:-1])
        assert track.covered == tuple(sorted({*before.covered, before.tacocat}))
        assert len(track.covered) == rounds
    assert track.winner is (YAY if track.tacocat == 0 else WOW)


@given(st.lists(st.sampled_from(PLAYERS), max_size=7))
def test_there_is_a_way_to_every_track_that_a_game_makes(winners: list[Player]) -> None:
    track = Track()
    for winner in winners:
        if track.winner is None:
            track = track.moved(winner)
    again = Track()
    for winner in track.a_way_here():
        again = again.moved(winner)
    assert again == track


@pytest.mark.parametrize("track", [Track(4, (3,)), Track(5, ()), Track(0, (4,)), Track(8, (4,))])
def test_a_track_that_no_game_makes_is_refused(track: Track) -> None:
    with pytest.raises(ValueError, match="no game comes to this track"):
        track.a_way_here()
