"""Games against the table in the journal: who plays for it, and what it has chosen in secret."""

from pathlib import Path

import pytest

from engine.cards import YAY, Player, parse_card
from engine.events import Event, card_event, undo_event
from engine.game import Game, judge, new_game
from engine.round import Phase
from engine.rules import Mode, Rules
from engine.transcript import Choice, Solo
from firmware.kept.games import ENDED, RowNote, read_game
from firmware.kept.journal import Journal, SoloGame

RULES = Rules(mode=Mode.PLAY)
SOLO = Solo(Player.WOW, "good", 8123)
CHOICE = Choice(Player.WOW, (parse_card("2a"), parse_card("6b")))
DEALT = card_event(YAY, parse_card("7b"))


@pytest.fixture
def journal(tmp_path):
    made = Journal(tmp_path / "games")
    yield made
    made.close()


def kept(journal: Journal, *orders):
    for order in (SoloGame(RULES, SOLO), *orders):
        journal.take(order)
    journal.keep()
    assert isinstance(journal.path, Path)
    return read_game(journal.path)


def test_a_game_against_the_table_says_who_plays_for_it(journal):
    found = kept(journal)
    assert (found.solo, found.story, found.rules, found.fault) == (SOLO, (), RULES, "")
    assert "\nsolo wow good 8123\n" in journal.path.read_text()


def test_a_game_of_two_persons_has_nobody_who_plays_for_the_table(journal):
    journal.begin(RULES)
    assert read_game(journal.path).solo is None
    assert "solo" not in journal.path.read_text()


def test_a_choice_stands_in_front_of_the_event_that_came_after_it(journal):
    found = kept(journal, CHOICE, DEALT)
    assert journal.path.read_text().endswith("\nchoice wow 2a 6b\nyay 7b\n")
    assert (found.story, found.events) == ((CHOICE, DEALT), 1)


def test_a_choice_that_is_torn_by_a_power_cut_was_not_made(journal):
    kept(journal, DEALT, CHOICE)
    path = journal.path
    path.write_bytes(path.read_bytes()[:-1])
    found = read_game(path)
    assert (found.story, found.events, found.fault) == ((DEALT,), 1, "")


def test_where_the_cards_of_a_row_lie_is_kept_as_a_comment(journal):
    row = RowNote((parse_card("9a"), parse_card("4a")))
    found = kept(journal, DEALT, row)
    assert journal.path.read_text().endswith("\nyay 7b\n# the row from the left: 9a 4a\n")
    assert found.story == (DEALT, row)


def test_other_comments_and_a_row_that_cannot_be_read_are_passed_over(journal):
    assert kept(journal, DEALT, "the row from the left: 99z", "the row", ENDED).story == (DEALT,)


def test_a_game_of_two_persons_has_no_story(journal):
    journal.begin(RULES)
    journal.append([DEALT])
    assert read_game(journal.path).story == ()


def dealt_out() -> tuple[list[Event], Game]:
    """The events of a deal of the deck's lowest cards, and the game after it."""
    game, events = new_game(RULES), []
    for card in RULES.deck.cards:
        if game.phase is not Phase.DEAL:
            break
        events.append(card_event(game.to_act[0], card))
        game, _ = judge(game, events[-1])
    return events, game


def lowest_of(player: Player, game: Game) -> Event:
    return card_event(player, min(game.round.hands[player.seat]))


def test_a_game_in_which_the_table_took_its_answer_back_says_so(journal):
    events, game = dealt_out()
    events.append(lowest_of(SOLO.side, game))
    assert not kept(journal, *events).answer_undone
    found = kept(journal, *events, undo_event(SOLO.side))
    assert (found.answer_undone, found.game.phase, found.game.round.replaced) == (True, Phase.REPLACE, (0, 0))


def test_a_play_of_ones_own_taken_back_is_no_answer_undone(journal):
    events, game = dealt_out()
    found = kept(journal, *events, lowest_of(YAY, game), undo_event(YAY))
    assert (found.answer_undone, found.game.round.replaced) == (False, (0, 0))


def test_a_card_that_was_dealt_to_the_table_and_taken_back_is_no_answer_undone(journal):
    events, _ = dealt_out()
    first = next(place for place, event in enumerate(events) if event.player is SOLO.side)
    assert kept(journal, *events[: first + 1]).game.round.count(SOLO.side) == 1
    found = kept(journal, *events[: first + 1], undo_event(SOLO.side))
    assert (found.answer_undone, found.game.round.count(SOLO.side)) == (False, 0)


def test_between_two_persons_no_answer_was_the_tables(tmp_path):
    events, game = dealt_out()
    journal = Journal(tmp_path / "games")
    journal.begin(RULES)
    journal.append([*events, lowest_of(SOLO.side, game), undo_event(SOLO.side)])
    assert journal.path is not None
    assert not read_game(journal.path).answer_undone
    journal.close()
