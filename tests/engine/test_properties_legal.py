"""`is_legal` and `legal_plays` are one notion: held against each other for every conceivable play."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations

import pytest
from hypothesis import event as note
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board import Arrow, Board
from engine.cards import PLAYERS, YAY, parse_card
from engine.game import Game, new_game
from engine.legal import Play, is_legal, legal_plays
from engine.rules import LateFoul, Mode, Rules
from tests.support.engine_games import SEEDS, Manners, RandomTable, rules, small_decks, told


@st.composite
def tiny_rules(draw: st.DrawFn) -> Rules:
    deck = draw(small_decks(least=6, most=8))
    sizes = st.integers(2, len(deck) // 2)
    board = Board(
        tuple(draw(st.lists(sizes, min_size=7, max_size=7))),
        tuple(draw(st.lists(st.sampled_from(list(Arrow)), min_size=7, max_size=7))),
    )
    return Rules(draw(st.sampled_from(list(Mode))), deck, board, late_foul=draw(st.sampled_from(list(LateFoul))))


def conceivable(game: Game) -> Iterator[Play]:
    cards = game.rules.deck.cards
    for player in PLAYERS:
        for size in range(len(cards) + 1):
            for some in combinations(cards, size):
                for confirm in (False, True):
                    yield Play(player, frozenset(some), confirm)


def kind_of(game: Game) -> tuple[object, ...]:
    """What tells apart the situations that are worth a look."""
    state = game.round
    return (
        state.phase,
        state.swap,
        state.attacker,
        len(state.attack),
        len(state.answer),
        state.replaced,
        [card is not None for card in state.shown],
    )


@settings(max_examples=40)
@given(tiny_rules(), SEEDS)
def test_is_legal_equals_membership_in_legal_plays_for_every_conceivable_play(game_rules: Rules, seed: int) -> None:
    looked_at: list[tuple[object, ...]] = []
    for game, _ in RandomTable(game_rules, seed, Manners(wrong=0.05, void=0)).events(150):
        kind = kind_of(game)
        if kind in looked_at:
            continue
        looked_at.append(kind)
        listed = [play for player in PLAYERS for play in legal_plays(game, player)]
        assert Counter(listed) == Counter(play for play in conceivable(game) if is_legal(game, play)), str(game)
        note(f"{game.phase}")
        if len(looked_at) == 20:
            break


@given(rules((Mode.PLAY,)), SEEDS)
def test_whoever_is_awaited_and_has_laid_nothing_down_has_a_legal_play(game_rules: Rules, seed: int) -> None:
    for game, _ in RandomTable(game_rules, seed).events(100):
        state = game.round
        for player in game.to_act:
            begun = state.answer or (state.attack and (player is state.attacker or len(state.attack) > 1))
            if not begun and not state.replaced[player.seat]:
                assert next(legal_plays(game, player), None) is not None
        for player in set(PLAYERS) - set(game.to_act):
            assert not list(legal_plays(game, player)) or game.phase == "deal"


def test_a_card_that_the_deck_does_not_have_is_a_programmers_fault() -> None:
    with pytest.raises(ValueError, match="the deck of this game has no card 7z"):
        is_legal(new_game(), Play(YAY, frozenset([parse_card("7z")])))


def test_a_late_foul_makes_the_answer_that_shows_it_no_less_legal() -> None:
    """The card is accepted, also when the house rule then ends the round."""
    game = told(
        """
        mode referee
        late-foul forfeit
        yay ok
        wow ok
        yay ok
        wow ok
        yay 12a
        wow 1a
        yay 11a
        wow 5a
        yay 9a
        yay 9b
        yay ok
        """
    ).game
    play = Play(PLAYERS[1], frozenset(map(parse_card, ["3a", "10a"])))
    assert is_legal(game, play)
    assert play in legal_plays(game, PLAYERS[1])


def test_a_player_whose_hand_is_full_is_dealt_no_more_while_the_other_is() -> None:
    game = told("board 2 2 2 2 2 2 2", "yay 1a; yay 2a").game
    assert list(legal_plays(game, YAY)) == []
    assert len(list(legal_plays(game, YAY.other))) == len(game.rules.deck) - 2


def test_a_card_that_either_has_been_dealt_is_dealt_to_nobody_else() -> None:
    game = told("yay 1a; wow 2a").game
    for player in PLAYERS:
        cards = {str(card) for play in legal_plays(game, player) for card in play.cards}
        assert len(cards) == len(game.rules.deck) - 2 and not cards & {"1a", "2a"}
