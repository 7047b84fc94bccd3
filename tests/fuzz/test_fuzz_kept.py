"""Fuzzing what the device keeps: the deck file, the settings file, UIDs as text; and the answers to `tacocat setup`."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import DEFAULT_DECK
from engine.errors import ParseError
from engine.events import UID_LENGTHS, format_uid, parse_uid
from firmware.commands.deck import deck_command
from firmware.commands.setup import QUESTIONS, ask_all, setup_command
from firmware.config.reading import load as load_config
from firmware.config.table_toml import EXAMPLE, filled_in
from firmware.config.values import Config
from firmware.files.whole import ASIDE_SUFFIX, SaveError, StandIn, backup_of
from firmware.kept import deck, settings
from firmware.kept.deck import Tags, format_tags, parse_tags, why_no_card
from firmware.kept.settings import Setting, Settings, format_settings, parse_settings
from firmware.words import LANGUAGES
from tests.fuzz.support import ODD, examples, mutated
from tests.support.at_table import tags_of
from tests.support.limits import assert_readable, processor_s

TAGS = Tags.of(tags_of(DEFAULT_DECK))
DECKS = (format_tags(TAGS).encode(), b"tacocat-deck 1\n7b 04a1b2c3d4e5f6\n12a DE:AD:BE:EF # torn\r\n")
DECK_WORDS = (
    b"tacocat-deck",
    b"tacocat-deck 2",
    b"7b",
    b"07b",
    b"13a",
    b"7B",
    b"04a1b2c3d4e5f6",
    b"04:A1:B2:C3",
    b"04 A1 B2 C3",
    b"08a1b2c3",
    b"04a1b2",
    b"04a1b2c3d4e5f60708",
    b"04a1b2c3d4e5f607080a",
    b"a:b",
    b"# ",
)
SETTINGS = (format_settings(Settings()).encode(), format_settings(Settings("el", False, 40, swap_sides=True)).encode())
SETTING_WORDS = (
    *(f"{word} = ".encode() for word in Setting),
    b"[rules]",
    b"[track]",
    b"[[rules]]",
    b"club.name = 3",
    *(word.encode() for word in LANGUAGES),
    b"yes",
    b"no",
    b"redeal",
    b"arrow",
    b"forfeit",
    b"100",
    b"101",
    b"brightness = 55",
    b"true",
    b'"""',
    b'rules = {tie = "arrow"}',
    b"sound=true",
)


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    """Gives a folder without files, as often as it is called: an example is not a test to pytest."""
    folder = tmp_path_factory.mktemp("fuzz")

    def clear() -> Path:
        for path in folder.iterdir():
            path.unlink()
        return folder

    return clear


def nothing_is_lost(path: Path, data: bytes) -> None:
    """Whatever the bytes are, they are still there: in the file, in its backup, or set aside."""
    kept = [path, backup_of(path), *path.parent.glob(f"{path.name}{ASIDE_SUFFIX}*")]
    assert data in [each.read_bytes() for each in kept if each.exists()]


@examples(150)
@given(data=mutated(DECKS, DECK_WORDS) | st.binary(max_size=200))
def test_a_deck_file_is_read_or_set_aside_whole_and_what_is_read_is_read_again(
    empty: Callable[[], Path], data: bytes
) -> None:
    path = empty() / "deck.txt"
    path.write_bytes(data)
    with processor_s(20):
        tags, notices = deck.load(path)
    for notice in notices:
        assert_readable(str(notice))
        assert notice.aside is not None or notice.left_alone or notice.stand_in is StandIn.REST
        assert path.name in notice.reason or "it " in notice.reason or "line" in notice.reason
    nothing_is_lost(path, data)
    assert all(why_no_card(uid) is None for uid in tags)
    assert parse_tags(format_tags(tags)) == tags or not tags
    if not notices:
        assert parse_tags(data.decode()) == tags
    if any(notice.left_alone for notice in notices):  # a newer version's
        with pytest.raises(SaveError):
            deck.save(path, TAGS)
        assert path.read_bytes() == data
        return
    deck.save(path, TAGS)
    nothing_is_lost(path, data)
    assert deck.load(path) == (TAGS, ())


@examples(60)
@given(data=mutated(DECKS, DECK_WORDS) | st.binary(max_size=200), known=st.booleans())
def test_an_import_takes_a_deck_whole_or_says_why_not_and_leaves_what_was_there(
    empty: Callable[[], Path], data: bytes, known: bool
) -> None:
    here, there = empty() / "deck.txt", empty() / "other.txt"
    there.write_bytes(data)
    if known:
        deck.save(here, TAGS)
    out, err = io.StringIO(), io.StringIO()
    code = deck_command(here, "import", there, out, err)
    if code:
        assert_readable(err.getvalue())
        assert deck.load(here) == (TAGS if known else Tags(), ())
    else:
        assert deck.load(here) == (parse_tags(data.decode()), ())
    assert there.read_bytes() == data


@examples(150)
@given(data=mutated(SETTINGS, SETTING_WORDS) | st.binary(max_size=100))
def test_a_settings_file_is_read_or_set_aside_whole_and_what_is_read_is_read_again(
    empty: Callable[[], Path], data: bytes
) -> None:
    folder = empty()
    path = folder / settings.FILE_NAME
    path.write_bytes(data)
    with processor_s(20):
        found, notices = settings.load(folder, Config())
    for notice in notices:
        assert_readable(str(notice))
        assert notice.aside is not None or notice.stand_in is StandIn.REST
    nothing_is_lost(path, data)
    settings.save(folder, settings.next_value(found, Setting.SOUND))
    nothing_is_lost(path, data)
    assert settings.load(folder, Config())[0] == settings.next_value(found, Setting.SOUND)
    assert parse_settings(format_settings(found), Settings("ar")) == (found, ())
    text = filled_in(settings.applied(Config(), found), EXAMPLE.read_text())
    (folder / "table.toml").write_text(text)
    assert settings.settings_of(load_config(folder / "table.toml")) == found


UIDS = st.text("0123456789abcdefABCDEF: \t.-xg٣\n", max_size=40) | st.text(max_size=20)


@examples(300)
@given(text=UIDS | st.sampled_from(UID_LENGTHS).flatmap(lambda n: st.binary(min_size=n, max_size=n)).map(bytes.hex))
def test_a_uid_is_read_from_one_meaning_only(text: str) -> None:
    try:
        uid = parse_uid(text)
    except ParseError as error:
        assert_readable(str(error))
        return
    assert len(uid) in UID_LENGTHS
    assert format_uid(uid) == "".join(c for c in text.lower() if c not in ": ")
    forms = format_uid(uid), uid.hex(":").upper(), uid.hex(" ").upper()
    assert {parse_uid(form) for form in forms} == {uid}


ANSWERS = st.lists(
    st.sampled_from(
        [
            "",
            "4 6 9 7 9 6 4",
            "2 2 2 2 2 2 2",
            "both " * 7,
            "YAY wow both both both yay yay",
            "8",
            "0",
            "150",
            "8,8,8,8,8,8,8",
            "000000000300",
            "none",
            "SH1106",
            "greek",
            "ar",
            "9" * 150,
        ]
    )
    | st.sampled_from(ODD).map(lambda data: data.decode(errors="replace"))
    | st.text(max_size=20),
    max_size=30,
)


@examples(60)
@given(answers=ANSWERS)
def test_whatever_is_answered_the_file_is_what_was_asked_for_or_as_it_was(
    empty: Callable[[], Path], answers: list[str]
) -> None:
    path = empty() / "table.toml"
    before = b"sound = false\n"
    path.write_bytes(before)
    said: list[str] = []
    code = setup_command(path, iter_read(answers), said.append)
    assert_readable("\n".join(said), 30_000)
    if code:
        assert path.read_bytes() == before
    else:
        meant = ask_all(load_config(backup_of(path)), iter_read(answers), said.append)
        assert load_config(path) == meant
    assert len(said) >= len(QUESTIONS) or code


def iter_read(answers: list[str]) -> Callable[[str], str]:
    rest = iter(answers)

    def read(prompt: str) -> str:
        for answer in rest:
            return answer.replace("\n", "")
        raise EOFError

    return read
