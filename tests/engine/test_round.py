"""A round, phase by phase: what is expected, what follows, what a verdict tells."""

from __future__ import annotations

import pytest

from engine.cards import WOW, YAY, parse_card
from engine.round import Phase
from tests.support.engine_games import dealt, told

TWO = "deck 1x1 2x2 3x2 4x2\nboard 2 2 2 2 2 2 2"
THREE = "deck 1x1 2x2 3x3 4x3 5x3 6x3\nboard 3 3 3 3 3 3 3"
ROUND_2 = "mode referee\nvoid"  # from round 2 the printed arrow counts


def where(*texts: str) -> tuple[str, tuple[str, ...]]:
    game = told(*texts).game
    return game.phase.value, tuple(player.value for player in game.to_act)


def test_a_deal_is_read_in_any_order_and_ends_when_both_hands_are_full() -> None:
    assert where(TWO) == ("deal", ("yay", "wow"))
    assert where(TWO, "yay 1a; wow 2a; yay 2b") == ("deal", ("wow",))
    assert where(TWO, "yay 1a; wow 2a; yay 2b; wow 3a") == ("replace", ("yay", "wow"))


def test_in_referee_mode_both_say_ok_to_the_deal_and_hold_nothing_before() -> None:
    assert where("mode referee") == ("deal", ("yay", "wow"))
    assert told("mode referee\nyay ok").game.round.counts == (0, 0)
    assert where("mode referee\nyay ok") == ("deal", ("wow",))
    assert where("mode referee\nyay ok; wow ok") == ("replace", ("yay", "wow"))
    assert told("mode referee\nyay ok; wow ok").game.round.counts == (7, 7)


@pytest.mark.parametrize(("arrow", "first", "second"), [("yay", "yay", "wow"), ("wow", "wow", "yay")])
def test_the_arrow_says_who_replaces_first(arrow: str, first: str, second: str) -> None:
    text = f"arrows {' '.join([arrow] * 7)}\n{ROUND_2}\nyay ok; wow ok"
    assert where(text) == ("replace", (first,))
    assert where(text, f"{first} 3a; {first} ok") == ("replace", (second,))
    assert where(text, f"{first} 3a; {first} ok; {second} 4a; {second} ok") == ("duel", ("yay", "wow"))
    assert where(text, f"{first} 3a; {first} ok; {second} ok") == ("duel", ("yay", "wow"))


def test_what_each_player_discards_is_that_players() -> None:
    after = told("mode referee\nyay ok; wow ok; yay 3a; wow 4a; wow 5a; yay 6a").game.round
    assert after.discards == ((parse_card("3a"), parse_card("6a")), (parse_card("4a"), parse_card("5a")))


def test_if_the_first_replaced_none_the_duel_follows_at_once() -> None:
    after = told(f"arrows {' '.join(['yay'] * 7)}\n{ROUND_2}\nyay ok; wow ok; yay ok")
    assert after.game.phase is Phase.DUEL
    assert after.last.kept_all


def test_on_a_double_arrow_one_who_keeps_all_stops_nobody() -> None:
    after = told("mode referee\nyay ok; wow ok; yay ok")
    assert (after.game.phase, after.game.to_act) == (Phase.REPLACE, (WOW,))
    assert not after.last.kept_all


@pytest.mark.parametrize("arrow", ["yay", "wow", "both"])
def test_in_round_1_every_arrow_counts_as_double(arrow: str) -> None:
    header = f"mode referee\narrows {' '.join([arrow] * 7)}\n"
    assert where(header + "yay ok; wow ok") == ("replace", ("yay", "wow"))
    to_act = {"yay": ("yay",), "wow": ("wow",), "both": ("yay", "wow")}[arrow]
    assert where(header + "void; yay ok; wow ok") == ("replace", to_act)


def test_on_a_double_arrow_both_discard_and_draw_at_the_same_time() -> None:
    text = dealt("6a 5a 4a", "6b 3a 2a", swap=True)
    after = told(THREE, text, "yay 6a; wow 3a; yay 5a; yay ok; wow 2a; yay 1a; wow ok; wow 6c; yay 5b; wow 2b")
    assert not after.problems
    assert after.game.phase is Phase.DUEL
    assert set(map(str, after.game.round.hands[0])) == {"4a", "1a", "5b"}
    assert set(map(str, after.game.round.hands[1])) == {"6b", "6c", "2b"}


def test_a_discarded_card_leaves_the_hand_and_a_drawn_one_fills_it() -> None:
    text = dealt("6a 5a 4a", "6b 3a 2a", swap=True)
    assert told(THREE, text, "yay 6a").game.round.counts == (2, 3)
    assert told(THREE, text, "yay 6a; yay ok").game.round.counts == (2, 3)
    assert told(THREE, text, "yay 6a; yay ok; yay 1a").game.round.counts == (3, 3)
    referee = "mode referee\nyay ok; wow ok; yay 3a; yay 3b"
    assert told(referee).game.round.counts == (5, 7)
    assert told(referee, "yay ok").game.round.counts == (7, 7)


def test_with_an_empty_draw_pile_a_player_still_says_ok() -> None:
    header = "mode referee\ndeck 1x4 5x4\nboard 4 4 4 4 4 4 4\narrows " + " ".join(["yay"] * 7) + "\n"
    assert told(header + "yay ok; wow ok; yay 1a").problems == [("yay 1a", "too-many-replaced")]
    assert where(header, "yay ok; wow ok; yay ok; wow ok") == ("duel", ("yay", "wow"))


def test_the_second_still_says_ok_when_the_first_took_the_last_of_the_pile() -> None:
    header = "mode referee\ndeck 1x4 5x4 9x2\nboard 4 4 4 4 4 4 4\narrows " + " ".join(["wow"] * 7) + "\nvoid\n"
    after = told(header + "yay ok; wow ok; wow 1a; wow 1b; wow ok; yay 5a")
    assert after.problems == [("yay 5a", "too-many-replaced")]
    assert after.last.limit == 0
    assert where(header, "yay ok; wow ok; wow 1a; wow 1b; wow ok; yay ok") == ("duel", ("yay", "wow"))


def test_together_the_discards_never_exceed_the_draw_pile() -> None:
    header = "mode referee\ndeck 1x4 5x4 9x3\nboard 4 4 4 4 4 4 4\n"
    after = told(header + "yay ok; wow ok; yay 1a; wow 1b; yay 1c; wow 1d; yay 5a; yay ok; wow ok")
    assert after.problems == [("wow 1d", "too-many-replaced"), ("yay 5a", "too-many-replaced")]
    assert told(header + "yay ok; wow ok; yay 1a; wow 1b; yay 1c; yay undo; wow 1d").problems == []


def test_a_referee_lets_nobody_discard_more_than_the_hand() -> None:
    header = "mode referee\nboard 2 2 2 2 2 2 2\n"
    after = told(header + "yay ok; wow ok; yay 7a; yay 8a; yay 3a")
    assert after.problems == [("yay 3a", "too-many-replaced")]


@pytest.mark.parametrize(
    ("yay", "wow", "phase", "attacker"),
    [("6a", "3a", "attack", YAY), ("4a", "6b", "attack", WOW), ("6a", "6b", "duel", None)],
)
def test_the_higher_card_of_a_duel_attacks_first(yay: str, wow: str, phase: str, attacker: object) -> None:
    after = told(THREE, dealt("6a 5a 4a", "6b 3a 2a"), f"wow {wow}; yay {yay}")
    assert after.game.phase == phase
    assert after.game.round.attacker is attacker
    assert after.last.duel is not None and after.last.duel.winner is attacker
    assert after.game.round.counts == (2, 2)


@pytest.mark.parametrize("cards", [("1a", "2a"), ("2b", "2a")])
def test_a_duel_that_leaves_one_card_each_is_followed_by_the_showdown(cards: tuple[str, str]) -> None:
    after = told(TWO, dealt("1a 2b", "2a 3a"), f"yay {cards[0]}; wow {cards[1]}")
    assert after.game.phase is Phase.SHOWDOWN
    assert after.game.to_act == (YAY, WOW)


def test_tied_duels_go_on_until_one_card_is_left() -> None:
    after = told(THREE, dealt("6a 5a 4a", "6b 5b 4b"), "yay 6a; wow 6b; wow 5b; yay 5a")
    assert (after.game.phase, after.game.round.counts) == (Phase.SHOWDOWN, (1, 1))
    assert after.game.round.attacker is None


def test_once_a_card_of_the_attack_is_read_the_defender_is_awaited_too() -> None:
    duel = dealt("6a 5a 4a", "6b 3a 2a") + "\nyay 6a; wow 3a"
    assert where(THREE, duel) == ("attack", ("yay",))
    assert where(THREE, duel, "yay 5a") == ("attack", ("yay", "wow"))
    assert where(THREE, duel, "yay 5a; yay ok") == ("defend", ("wow",))
    assert where(THREE, duel, "yay 5a; yay undo") == ("attack", ("yay",))


def test_an_answer_that_holds_gives_the_attack_to_the_defender() -> None:
    hands = dealt("6a 5a 4a 1a", "6b 3a 2a 2b") + "\nyay 6a; wow 3a"
    four = THREE.replace("3 3 3 3 3 3 3", "4 4 4 4 4 4 4")
    held = told(four, hands, "yay 5a; wow 6b")
    assert held.game.round.attacker is WOW
    assert held.last.trick is not None and held.last.trick.holds
    given_up = told(four, hands, "yay 5a; wow 2a")
    assert given_up.game.round.attacker is YAY
    assert given_up.last.trick is not None and given_up.last.trick.sacrificed == 1
    assert given_up.game.round.counts == (2, 2)


def test_a_jumbo_attack_is_answered_with_as_many_cards() -> None:
    four = "deck 1x1 2x2 3x3 4x3 5x3 6x3\nboard 5 5 5 5 5 5 5"
    hands = dealt("6a 5a 4a 3a 1a", "6b 3b 2a 2b 5b") + "\nyay 6a; wow 3b"
    after = told(four, hands, "yay 3a; yay 5a; yay 4a; yay ok; wow 2a; wow 6b; wow 5b")
    assert not after.problems
    assert (after.game.phase, after.game.round.counts) == (Phase.SHOWDOWN, (1, 1))
    assert after.last.trick is not None and after.last.trick.sacrificed == 1
    assert after.last.trick.attack == tuple(map(parse_card, ("3a", "5a", "4a")))


SHOWDOWN = dealt("1a 2b", "2a 3a") + "\nyay 2b; wow 3a"


@pytest.mark.parametrize(
    ("yay", "wow", "result", "tacocat"), [("1a", "2a", "yay", 3), ("3a", "2a", "wow", 5), ("2b", "2a", "tie", 4)]
)
def test_the_lower_card_of_the_showdown_wins(yay: str, wow: str, result: str, tacocat: int) -> None:
    after = told(TWO, dealt(f"4a {yay}", f"{wow} 4b"), f"yay 4a; wow 4b; wow {wow}; yay {yay}")
    assert after.results == [result]
    game = after.game
    assert (game.track.tacocat, game.number, game.phase) == (tacocat, 2, Phase.DEAL)
    assert game.track.covered == (() if result == "tie" else (4,))
    assert game.round.counts == (0, 0)
    assert after.last.showdown is not None
    assert after.last.showdown.winner == (None if result == "tie" else result)


@pytest.mark.parametrize(
    ("arrow", "first", "then", "tacocat"),
    [("yay", "tie", "yay", 3), ("wow", "tie", "wow", 5), ("both", "tie", "tie", 4)],
)
def test_under_tie_arrow_the_arrow_wins_but_a_double_one_is_a_tie(
    arrow: str, first: str, then: str, tacocat: int
) -> None:
    """In round 1 every arrow is double."""
    header = f"{TWO}\ntie arrow\narrows {' '.join([arrow] * 7)}"
    one = dealt("4a 2b", "2a 4b", swap=True)
    kept = "yay ok; wow ok" if arrow == "both" else f"{arrow} ok"
    tie = "yay 4a; wow 4b; wow 2a; yay 2b"
    after = told(header, one, "yay ok; wow ok", tie, one, kept, tie)
    assert not after.problems
    assert after.results == [first, then]
    assert after.game.track.tacocat == tacocat
    assert told(header.replace("tie arrow", "tie redeal"), one, "yay ok; wow ok", tie, one, kept, tie).results == [
        "tie",
        "tie",
    ]


def test_what_the_pads_want_is_counted() -> None:
    def wanted(*texts: str) -> tuple[int, int]:
        state = told(*texts).game.round
        return state.wanted(YAY), state.wanted(WOW)

    hands = dealt("6a 5a 4a", "6b 3a 2a", swap=True)
    assert wanted(THREE) == (3, 3)
    assert wanted(THREE, "yay 6a") == (2, 3)
    assert wanted(THREE, hands) == (3, 3)
    assert wanted(THREE, hands, "yay 6a") == (2, 3)
    assert wanted(THREE, hands, "yay 6a; yay 5a; yay ok") == (2, 3)
    assert wanted(THREE, hands, "yay 6a; yay 5a; yay ok; yay 1a") == (1, 3)
    assert wanted(THREE, hands, "yay ok; wow ok") == (1, 1)
    assert wanted(THREE, hands, "yay ok; wow ok; yay 6a") == (0, 1)
    assert wanted(THREE, hands, "yay ok; wow ok; yay 6a; wow 3a") == (1, 0)
    assert wanted(THREE, hands, "yay ok; wow ok; yay 6a; wow 3a; yay 5a") == (0, 1)
    assert wanted(THREE, hands, "yay ok; wow ok; yay 6a; wow 3a; yay 5a; yay ok") == (0, 1)
    assert wanted(THREE, hands, "yay ok; wow ok; yay 6a; wow 3a; yay 5a; wow 6b") == (1, 1)
    assert wanted("mode referee") == (0, 0)
    assert wanted("mode board") == (0, 0)
