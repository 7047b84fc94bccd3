"""What a seat or the public knows of a game: hidden cards are dealt anew, and nothing that anybody may know changes."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields

import pytest
from hypothesis import event as note
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board import DEFAULT_BOARD, Board
from engine.cards import PLAYERS, WOW, YAY, Player, parse_card, parse_deck
from engine.errors import ParseError
from engine.events import Event, Kind, parse_event
from engine.following import Followed, FollowError, follow, follow_from_start
from engine.game import Game, judge, new_game
from engine.legal import legal_plays
from engine.round import Phase
from engine.rules import Mode, Rules
from engine.sights import Sight, accepted_sights, format_sight, parse_sight, sights
from engine.views import View, format_view, lowest_possible, parse_view, view_of
from tests.support.dealt_otherwise import dealt_otherwise, steps
from tests.support.engine_games import SEEDS, Manners, RandomTable, dealt, rules, told

SEATS: tuple[Player | None, ...] = (YAY, WOW, None)
MANNERS = st.builds(
    Manners,
    wrong=st.sampled_from((0.0, 0.1)),
    cheat=st.sampled_from((0.0, 0.3)),
    regret=st.sampled_from((0.0, 0.06, 0.2)),
    void=st.sampled_from((0.0, 0.01)),
)
PAIRS: Counter[str] = Counter()


def compare(game_rules: Rules, seed: int, manners: Manners, seat: Player | None, most: int = 160) -> None:
    """Of each step: the sights, the view; count how often other hidden cards were met."""
    for (before, event, verdict, after), (b, e, v, a) in dealt_otherwise(game_rules, seed, manners, seat, most):
        assert [str(s) for s in sights(before, event, verdict, seat)] == [str(s) for s in sights(b, e, v, seat)]
        view, was = view_of(after, seat), view_of(a, seat)
        assert view == was and format_view(view) == format_view(was)
        PAIRS["differ" if after.round.hands != a.round.hands or event != e else "alike"] += 1


@settings(max_examples=150)
@given(rules((Mode.PLAY, Mode.REFEREE)), SEEDS, MANNERS, st.sampled_from(SEATS))
def test_hidden_cards_dealt_anew_change_neither_a_view_nor_a_sight(
    game_rules: Rules, seed: int, manners: Manners, seat: Player | None
) -> None:
    compare(game_rules, seed, manners, seat)


def test_most_of_the_pairs_that_were_compared_had_other_hidden_cards() -> None:
    PAIRS.clear()
    for seed in range(60):
        compare(Rules(), seed, Manners(wrong=0.02), SEATS[seed % 3])
    print(f"compared: {PAIRS['differ']} pairs that differ in hidden cards, {PAIRS['alike']} that do not")
    assert PAIRS["differ"] > 2000


@given(rules((Mode.PLAY, Mode.REFEREE, Mode.BOARD)), SEEDS, MANNERS)
def test_format_view_and_parse_view_are_inverse(game_rules: Rules, seed: int, manners: Manners) -> None:
    for game, _ in RandomTable(game_rules, seed, manners).events(150):
        for seat in SEATS:
            view = view_of(game, seat)
            text = format_view(view)
            assert "\n" not in text
            assert parse_view(text, game_rules) == view


@pytest.mark.parametrize("text", ["", "seat=yay", "seat=me", "hand=1a seat=yay"])
def test_what_is_no_view_is_refused(text: str) -> None:
    with pytest.raises(ParseError, match="is not a view"):
        parse_view(text, Rules())


def test_a_field_of_a_view_with_another_value_is_refused() -> None:
    text = format_view(view_of(new_game(), YAY))
    for name in text.split():
        broken = text.replace(name, name.partition("=")[0] + "=!", 1)
        with pytest.raises(ParseError, match="is not a view"):
            parse_view(broken, Rules())


@given(rules((Mode.PLAY,)), SEEDS, MANNERS)
def test_a_view_holds_the_own_hand_and_never_the_other_one(game_rules: Rules, seed: int, manners: Manners) -> None:
    for game, _ in RandomTable(game_rules, seed, manners).events(150):
        state = game.round
        for seat in SEATS:
            view = view_of(game, seat)
            assert view.hand == (frozenset() if seat is None else state.hands[seat.seat])
            for player in PLAYERS:
                assert player is seat or not view.seen & state.hands[player.seat]
                assert view.may_still_replace(player) == (
                    state.may_still_replace(player) if (Kind.OK in _words(game, player)) else 0
                )
            known = len(view.seen) + sum(view.unseen)
            assert known == len(game_rules.deck) and min(view.unseen) >= 0


def _words(game: Game, player: Player) -> set[Kind]:
    replacing = game.phase is Phase.REPLACE and game.can_ok(player)
    return {Kind.OK} if replacing else set()


def test_no_field_of_a_view_is_a_game_or_a_round() -> None:
    """A view that carried the state along would carry the hands along."""
    assert {field.type for field in fields(View)} & {"Game", "Round", "Game | None"} == set()


def seen_by(seat: Player | None, *texts: str) -> list[str]:
    """What the seat sees of the events of a transcript, after its deal."""
    lines = [line.strip() for text in texts for line in text.replace(";", "\n").splitlines()]
    events = [event for _, event, _, _ in steps(Rules(), [_event(line) for line in lines])]
    return [str(s) for b, e, v, _ in steps(Rules(), events) for s in sights(b, e, v, seat)]


def _event(line: str) -> Event:
    return parse_event(line, Rules().deck)


HELD_BY_WOW = ["wow 2a", "wow 3b", "wow 4b", "wow 5b", "wow 6b", "wow 7b", "wow 9a"]
HANDS = dealt("1a 3a 4a 5a 6a 7a 8a", "2a 3b 4b 5b 6b 7b 9a")


def test_the_first_card_of_a_duel_is_seen_by_who_laid_it_alone_and_the_second_turns_both() -> None:
    assert seen_by(YAY, HANDS, "wow 2a; yay 8a")[-3:] == ["wow ?", "yay 8a", "wow 2a"]
    assert seen_by(WOW, HANDS, "wow 2a; yay 8a")[-3:] == ["wow 2a", "yay 8a", "wow 2a"]
    assert seen_by(None, HANDS, "wow 2a; yay 8a")[-3:] == ["wow ?", "yay 8a", "wow 2a"]


def test_everybody_has_seen_what_either_player_has_discarded() -> None:
    deal = dealt("1a 3a 4a 5a 6a 7a 8a", "2a 3b 4b 5b 6b 7b 9a", swap=True)
    game = told(deal, "yay 3a; wow 4b; wow 5b").game
    discarded = {parse_card("3a"), parse_card("4b"), parse_card("5b")}
    assert view_of(game, None).seen == discarded
    for player in PLAYERS:
        assert view_of(game, player).seen == discarded | game.round.hands[player.seat]


def test_who_follows_what_was_accepted_is_told_both_duel_cards_at_once_and_no_rejected_card() -> None:
    lines = (HANDS + "\nwow 2a\nwow 3b\nyay 8a").splitlines()
    heard = [
        str(s) for b, e, v, _ in steps(Rules(), [_event(line) for line in lines]) for s in accepted_sights(b, e, v, WOW)
    ]
    assert heard[-2:] == ["yay 8a", "wow 2a"] and "wow 3b" in heard[:14] and "wow 3b" not in heard[14:]


def test_dealt_and_drawn_cards_show_their_backs_and_discards_their_faces() -> None:
    swap = dealt("1a 3a 4a 5a 6a 7a 8a", "2a 3b 4b 5b 6b 7b 9a", swap=True)
    assert seen_by(WOW, swap, "yay 5a; yay ok; yay 12a") == [
        *["yay ?"] * 7, *HELD_BY_WOW, "yay 5a", "yay ok", "yay ?",
    ]  # fmt: skip


def test_an_answer_that_is_rejected_as_a_whole_was_seen_and_another_rejected_card_was_not() -> None:
    seen = seen_by(None, HANDS, "yay 8a; wow 2a; yay 7a; yay ok; wow 6b; wow 3a; wow tag 01020304")
    assert seen[-3:] == ["wow 6b", "wow ?", "wow tag ?"]


def test_a_play_that_was_taken_back_leaves_no_trace_in_a_view() -> None:
    game = told(HANDS, "yay 8a; wow 2a; yay 7a").game
    back = told(HANDS, "yay 8a; wow 2a; yay 7a; yay undo").game
    before = told(HANDS, "yay 8a; wow 2a").game
    assert view_of(back, WOW) == view_of(before, WOW) != view_of(game, WOW)


def test_a_sacrifice_says_what_cannot_be_in_the_hand() -> None:
    view = view_of(told(HANDS, "yay 8a; wow 2a; yay 7a; yay ok; wow 3b").game, None)
    assert lowest_possible(view, WOW) == 3
    assert lowest_possible(view, YAY) == 0


def test_in_referee_mode_a_convicted_sacrifice_says_nothing_any_more() -> None:
    referee = "mode referee;yay ok;wow ok;yay ok;wow ok;yay 12a;wow 1a;yay 11a;yay ok;wow 5a"
    assert lowest_possible(view_of(told(referee).game, None), WOW) == 5
    assert lowest_possible(view_of(told(referee, "yay 10a;yay ok;wow 2a").game, None), WOW) == 2


@given(rules((Mode.PLAY, Mode.REFEREE)), SEEDS, MANNERS)
def test_parse_sight_and_format_sight_are_inverse(game_rules: Rules, seed: int, manners: Manners) -> None:
    for before, event in RandomTable(game_rules, seed, manners).events(150):
        _, verdict = judge(before, event)
        for sight in sights(before, event, verdict, WOW):
            assert parse_sight(format_sight(sight)) == sight


def test_what_is_no_sight_is_refused() -> None:
    for text in ("", "yay", "you 7b", "yay tag 0102", "yay 7b 8b", "yay 07b"):
        with pytest.raises(ParseError):
            parse_sight(text)


# ---- following a game by what is seen of it -------------------------------------------------


@settings(max_examples=100)
@given(rules((Mode.PLAY,)), SEEDS, MANNERS, st.sampled_from(PLAYERS))
def test_who_follows_the_sights_has_the_view_of_the_real_game(
    game_rules: Rules, seed: int, manners: Manners, seat: Player
) -> None:
    """Up to the first undo: after one, who follows a game is told it anew."""
    manners = Manners(manners.wrong, manners.cheat, manners.proud, 0.0, manners.void)
    followed, compared = follow_from_start(game_rules, seat), 0
    for before, event in RandomTable(game_rules, seed, manners).events(300):
        after, verdict = judge(before, event)
        if verdict.undone:
            return
        if verdict.problem is not None and after is not before:
            return  # a play was taken back: its cards would have to be told anew
        for sight in accepted_sights(before, event, verdict, seat):
            followed = follow(followed, sight)
        if not (after.phase in (Phase.DUEL, Phase.SHOWDOWN) and after.round.shown != (None, None)):
            assert view_of(followed.game, seat) == view_of(after, seat)
            compared += 1
    note(f"{compared // 50 * 50} or more views compared")


def followed_by(seat: Player, text: str) -> Followed:
    followed = follow_from_start(Rules(), seat)
    for line in text.replace(";", "\n").splitlines():
        followed = follow(followed, parse_sight(line.strip()))
    return followed


@pytest.mark.parametrize("last", ["yay undo", "wow tag ?", "yay 2b", "wow 9a", "wow ok", "yay 7f"])
def test_a_sight_that_cannot_be_is_refused(last: str) -> None:
    deal = ";".join(["yay ?"] * 7 + [f"wow {n}b" for n in (2, 3, 4, 5, 6, 7, 9)])
    followed = followed_by(WOW, f"{deal};yay ok;wow ok")
    with pytest.raises(FollowError):
        follow(followed, parse_sight(last))


def test_a_back_is_refused_when_no_card_is_left_that_it_could_be() -> None:
    few = Rules(deck=parse_deck("2x4"), board=Board((2,) * 7, DEFAULT_BOARD.arrows))
    followed = follow_from_start(few, WOW)
    for text in ("wow 2a", "wow 2b", "yay ?"):
        followed = follow(followed, parse_sight(text))
    game = follow(followed, parse_sight("yay ?")).game
    assert view_of(game, WOW).counts == (2, 2)
    with pytest.raises(FollowError):
        follow(follow(followed, parse_sight("yay ?")), parse_sight("yay ?"))


def test_a_follower_can_enumerate_its_own_legal_plays() -> None:
    deal = ";".join(["yay ?"] * 7 + [f"wow {n}b" for n in (2, 3, 4, 5, 6, 7, 9)])
    game = followed_by(WOW, f"{deal};yay 5a;yay ok;yay ?;wow ok;yay 3a;wow 9b").game
    attacks = {tuple(sorted(map(str, play.cards))) for play in legal_plays(game, WOW)}
    assert ("2b", "3b", "4b") in attacks and ("9b",) not in attacks


def test_a_void_begins_the_round_anew_for_who_follows() -> None:
    followed = followed_by(YAY, "yay 1a;wow ?;void")
    assert followed.game.number == 2 and followed.sights == ()
    assert view_of(followed.game, YAY).counts == (0, 0)
    assert Sight(Kind.VOID) == parse_sight("void")
