"""A turning point says what was held and played, what would have been better, by how much, and how the cards lay."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.cards import YAY, Card
from engine.game import new_game
from engine.players.advice import Decided, TurningPoint
from engine.round import Phase
from engine.rules import Rules
from engine.views import view_of
from firmware.views.points import point_lines

HELD = frozenset({Card(3, "a"), Card(9, "b"), Card(12, "a")})


def lines_of(
    phase: Phase, played: str, better: tuple[int, ...], lay: tuple[float, float] | None = None, attack: str = ""
) -> list[str]:
    game = new_game(Rules())
    against = tuple(Card(int(rank), "c") for rank in attack.split())
    view = replace(view_of(game, YAY), number=2, hand=HELD, phase=phase, attack=against)
    cards = tuple(Card(int(rank), "d") for rank in played.split())
    return list(point_lines([TurningPoint(Decided(0, view, cards, game), better, 0.254, 0.096, lay)]))


@pytest.mark.parametrize(
    ("phase", "played", "better", "attack", "did", "instead"),
    [
        (Phase.REPLACE, "3 9", (3,), "", "replaces 3 9", "replace 3"),
        (Phase.REPLACE, "", (3, 9), "", "replaces none", "replace 3 9"),
        (Phase.REPLACE, "3", (), "", "replaces 3", "replace none"),
        (Phase.DUEL, "12", (3,), "", "duels with 12", "3"),
        (Phase.ATTACK, "9", (3,), "", "attacks with 9", "3"),
        (Phase.DEFEND, "12 9", (3, 9), "7 6", "answers 6 7 with 9 12", "3 9"),
    ],
)
def test_each_kind_of_play_is_told_beside_the_better_one(phase, played, better, attack, did, instead):
    head, what, why = lines_of(phase, played, better, attack=attack)
    assert head == "The turning points, by what the player could know:"
    assert what == f"  Round 2, Tacocat on {new_game(Rules()).track.tacocat}: YAY holds 3 9 12, and {did}."
    assert why == f"    Better: {instead}. The difference: 25 of 100 rounds like this, 10 of 100 games."


@pytest.mark.parametrize(
    ("lay", "text"),
    [
        ((0.0, 1.0), "As the cards lay, the round was lost; by the better play the round was won, if both had seen"),
        ((1.0, 0.5), "As the cards lay, the round was won; by the better play the round was a tie, if both had seen"),
        ((0.5, 0.5), "As the cards lay, the round was a tie either way, if both had seen"),
    ],
)
def test_how_the_cards_lay_is_told_where_it_is_known(lay, text):
    assert lines_of(Phase.DUEL, "12", (3,), lay)[3] == f"    {text} them all."


def test_a_game_without_turning_points_says_so_in_one_line():
    assert list(point_lines([])) == ["No turning point: no play cost much, by what its player could know."]


def test_a_play_that_cost_everything_cost_100_of_100():
    view = replace(view_of(new_game(Rules()), YAY), hand=HELD, phase=Phase.DUEL)
    point = TurningPoint(Decided(0, view, (Card(3, "a"),), new_game(Rules())), (12,), 1.0, 0.0, None)
    assert "100 of 100 rounds like this, 0 of 100 games" in list(point_lines([point]))[2]
