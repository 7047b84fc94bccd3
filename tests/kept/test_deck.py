"""The deck file: its text, and that no fault of the disk and no power cut ever costs it."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import DEFAULT_DECK, Card, parse_card
from engine.errors import RulesError
from firmware.errors import FirmwareError
from firmware.files.disk import MAX_BYTES
from firmware.files.whole import NewerError, SaveError, StandIn, backup_of, replace_file, set_aside
from firmware.kept.deck import DeckError, DeckFileError, Tags, format_tags, load, parse_tags, save, why_no_card
from tests.support.disks import FailingDisk, MemoryDisk, PowerCut, ShortWrites


def uid_of(number: int) -> bytes:
    return bytes.fromhex("04a1b2") + number.to_bytes(4, "big")


def tags_of(cards: str, first: int = 0) -> Tags:
    return Tags(tuple((uid_of(first + n), parse_card(card)) for n, card in enumerate(cards.split())))


OLD, OLDER, NEW = tags_of("1a 2a 2b"), tags_of("1a"), tags_of("1a 2a 2b 3a", first=100)
FULL = Tags(tuple((uid_of(n), card) for n, card in enumerate(DEFAULT_DECK.cards)))
GARBAGE = b"\0" * 40


# ---- text ----------------------------------------------------------------------------------


def test_the_text_of_tags_is_a_version_a_comment_and_one_card_a_line():
    tags = Tags(((bytes.fromhex("DEADBEEF"), Card(10, "a")), (bytes.fromhex("04A1B2C3D4E5F6"), Card(7, "b"))))
    assert format_tags(tags) == (
        "tacocat-deck 1\n# one card a line: its name, then the UID of its tag\n7b 04a1b2c3d4e5f6\n10a deadbeef\n"
    )


def test_uids_with_colons_blanks_or_capitals_and_windows_line_ends_are_understood():
    text = "\ufeff# my deck\r\ntacocat-deck 1\r\n\r\n7a DE:AD:BE:EF # torn\r\n 7b\tDE AD BE EE \r\n7c deadbeed"
    assert parse_tags(text) == {
        bytes.fromhex("deadbeef"): Card(7, "a"),
        bytes.fromhex("deadbeee"): Card(7, "b"),
        bytes.fromhex("deadbeed"): Card(7, "c"),
    }


def test_every_faulty_line_is_reported_with_file_line_found_and_expected():
    cards = "1a 04a1b2c3d4e5f6", "13a 04a1b2c3d4e5f7", "2a 04a1b2c3d4", "2b", "2c 04:a1:b2:c3:d4:e5:f6", "1a deadbeef"
    text = "\n".join(["tacocat-deck 1", *cards])
    with pytest.raises(DeckFileError) as caught:
        parse_tags(text, "cards.txt")
    assert [fault.line for fault in caught.value.faults] == [3, 4, 5, 6, 7]
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("cards.txt, line 3: found '13a 04a1b2c3d4e5f7'; expected a card and the UID of its tag")
    assert "has 5 bytes" in lines[1]
    assert "04a1b2c3d4e5f6 stands in line 2 already" in lines[3]
    assert "1a stands in line 2 already" in lines[4]


@pytest.mark.parametrize(
    "text", ["", "# only a comment\n", "1a deadbeef\n", "tacocat-deck 0\n1a deadbeef\n", "tacocat-deck\n"]
)
def test_a_text_without_the_right_first_line_is_refused_and_the_right_one_is_named(text: str):
    with pytest.raises(DeckFileError, match=r"line 1: .*expected 'tacocat-deck 1'"):
        parse_tags(text)


def test_a_text_without_any_line_lacks_its_first_one():
    with pytest.raises(DeckFileError, match=r"^deck, line 1: found no header; expected 'tacocat-deck 1'"):
        parse_tags("# only a comment\n")


def test_the_deck_of_a_newer_version_is_said_left_alone_and_not_replaced(tmp_path: Path):
    path, text = tmp_path / "deck.txt", "tacocat-deck 2\n7b 04a1b2c3d4e5f6 gold\n"
    path.write_text(text)
    tags, (notice,) = load(path)
    assert tags == {} and notice.left_alone and "a newer one has written the file" in str(notice)
    with pytest.raises(SaveError, match="a newer one has written the file"):
        save(path, OLD)
    assert path.read_text() == text and list(tmp_path.iterdir()) == [path]


def test_a_faulty_line_costs_its_own_card_if_the_rest_is_a_deck(tmp_path: Path):
    path = tmp_path / "deck.txt"
    save(path, OLDER)
    lines = format_tags(FULL).splitlines()
    path.write_text("\n".join([*lines[:-1], lines[-1].replace(" ", " zz"), ""]))
    tags, (notice,) = load(path)
    assert len(tags) == len(FULL) - 1 and set(tags) < set(FULL)
    assert f"line {len(lines)}: found" in str(notice) and str(notice).endswith("; the rest of it is used")
    written = path.read_bytes()
    (notice,) = save(path, NEW)
    assert notice.aside is not None and notice.aside.read_bytes() == written


def test_a_deck_without_its_right_header_is_no_deck_whatever_follows(tmp_path: Path):
    path, lines = tmp_path / "deck.txt", format_tags(FULL).splitlines()
    for head in (["tacocat-deck 0"], ["# mine", "tacocat-deck one"], ["1a zz"], []):
        path.write_text("\n".join([*head, *lines[1:], ""]))
        tags, (notice,) = load(path)
        assert tags == {} and notice.aside is not None


def test_a_last_line_that_was_cut_off_costs_the_file_but_one_that_only_lacks_its_end_does_not(tmp_path: Path):
    path, text = tmp_path / "deck.txt", format_tags(FULL)
    for faulty in (text, text.replace("\n7d ", "\n7! ")):
        path.write_text(faulty[:-3])
        assert load(path)[0] == {}
    path.write_text(text.replace("\n7d ", "\n7! ").removesuffix("\n"))
    tags, (notice,) = load(path)
    assert len(tags) == len(FULL) - 1 and notice.stand_in is StandIn.REST


@pytest.mark.parametrize(
    ("version", "newer"), [("2", True), ("999", True), ("1000", False), ("00002", False), ("२", False)]
)
def test_a_version_is_newer_if_it_is_a_number_that_a_version_can_have(version: str, newer: bool):
    with pytest.raises((NewerError, DeckFileError)) as caught:
        parse_tags(f"tacocat-deck {version}\n1a deadbeef\n")
    assert isinstance(caught.value, NewerError) is newer


@pytest.mark.parametrize("line", ["1a 04a1b2c3d4e5f6", "1z 04a1b200000000", "1b 0824a937"])
def test_a_line_that_is_faulty_beside_others_gives_no_card(tmp_path: Path, line: str):
    """The card, or the tag, of another line, and a random UID."""
    path = tmp_path / "deck.txt"
    path.write_text(f"{format_tags(FULL)}{line}\n")
    tags, (notice,) = load(path)
    assert tags == FULL and notice.stand_in is StandIn.REST


def test_what_no_deck_is_left_of_is_set_aside_and_the_backup_serves(tmp_path: Path):
    path = tmp_path / "deck.txt"
    save(path, OLDER)
    save(path, FULL)
    path.write_text(path.read_text().replace("\n7a ", "\n7! "))  # 7b without 7a
    tags, (notice,) = load(path)
    assert tags == OLDER and notice.aside is not None


def test_a_deck_that_cannot_be_read_now_is_left_alone_and_not_replaced(tmp_path: Path):
    path = tmp_path / "deck.txt"
    save(path, OLDER)
    save(path, OLD)
    before = path.read_bytes()
    for code in (errno.EIO, errno.ENOMEM, errno.EMFILE, errno.EACCES):
        disk = FailingDisk(code=code)
        disk.fail_next("read")
        tags, (notice,) = load(path, disk)
        assert tags == OLDER and notice.left_alone and notice.aside is None
        disk.fail_next("read")
        with pytest.raises(SaveError, match="what it holds now would be lost"):
            save(path, NEW, disk)
        assert path.read_bytes() == before and load(path) == (OLD, ())


def test_a_random_uid_is_refused_with_the_reason():
    with pytest.raises(DeckFileError, match=r"line 2: .*random UID .*phones and bank cards"):
        parse_tags("tacocat-deck 1\n1a 0824A937\n")
    with pytest.raises(DeckError, match="0824a937 is a random UID"):
        OLD.named(bytes.fromhex("0824A937"), Card(1, "a"))
    assert why_no_card(bytes.fromhex("0824A937")) and not why_no_card(bytes.fromhex("0824A937D4E5F6"))


@pytest.mark.parametrize("length", range(12))
def test_a_uid_has_four_seven_or_ten_bytes(length: int):
    assert (why_no_card(bytes(length)) is None) is (length in (4, 7, 10))


def test_tags_stand_in_the_order_of_their_cards_whatever_their_uids_are():
    tags = Tags(((uid_of(1), Card(9, "a")), (uid_of(2), Card(3, "b")), (uid_of(3), Card(3, "a"))))
    assert [str(card) for _, card in tags.pairs] == ["3a", "3b", "9a"]


def test_seven_byte_uids_with_the_same_first_bytes_are_different_cards():
    tags = parse_tags("tacocat-deck 1\n1a 04A1B2C3D4E580\n2a 04A1B299887780\n")
    assert tags[bytes.fromhex("04a1b2c3d4e580")] == Card(1, "a")
    assert tags[bytes.fromhex("04a1b299887780")] == Card(2, "a")


@st.composite
def decks_of_tags(draw: st.DrawFn) -> Tags:
    cards = draw(st.lists(st.builds(Card, st.integers(1, 12), st.sampled_from("abcdefz")), unique=True, max_size=20))
    uid = st.sampled_from([4, 7, 10]).flatmap(lambda size: st.binary(min_size=size, max_size=size))
    uids = draw(
        st.lists(uid.filter(lambda u: not why_no_card(u)), unique=True, min_size=len(cards), max_size=len(cards))
    )
    return Tags(tuple(zip(uids, cards, strict=True)))


@given(decks_of_tags(), st.sampled_from(["", ":", " "]), st.sampled_from(["\n", "\r\n"]))
def test_parsing_what_was_formatted_gives_the_same_tags(tags: Tags, between: str, line_end: str):
    text = format_tags(tags)
    assert parse_tags(text) == tags and format_tags(parse_tags(text)) == text
    lines = (f"{card} {uid.hex(between) if between else uid.hex()}".upper().lower() for uid, card in tags.pairs)
    assert parse_tags(line_end.join(["tacocat-deck 1", *lines])) == tags
    assert eval(repr(tags)) == tags and hash(parse_tags(text)) == hash(tags)


@given(
    st.lists(st.one_of(st.text(max_size=12), st.sampled_from(["1a deadbeef", "2a 0824a937", "tacocat-deck 1", "2a"])))
)
def test_no_text_at_all_raises_anything_but_the_decks_own_error(lines: list[str]):
    for text in ("\n".join(lines), "\n".join(["tacocat-deck 1", *lines])):
        try:
            tags = parse_tags(text)
        except DeckFileError as error:
            assert error.faults and isinstance(error, FirmwareError) and isinstance(error, ValueError)
        else:
            assert parse_tags(format_tags(tags)) == tags


# ---- tags ----------------------------------------------------------------------------------


def test_tags_know_the_deck_that_they_make_up():
    assert FULL.deck == DEFAULT_DECK
    with pytest.raises(RulesError, match="lettered a c"):
        _ = tags_of("7a 7c").deck


def test_naming_a_tag_drops_the_cards_old_tag_and_leaves_the_old_value_as_it_was():
    new = uid_of(99)
    named = OLD.named(new, Card(2, "a"))
    assert named == {uid_of(0): Card(1, "a"), new: Card(2, "a"), uid_of(2): Card(2, "b")}
    assert named.uid_of(Card(2, "a")) == new and OLD.uid_of(Card(2, "a")) == uid_of(1)
    assert OLD.named(uid_of(0), Card(2, "a")) == {uid_of(0): Card(2, "a"), uid_of(2): Card(2, "b")}


def test_a_tag_of_two_cards_and_a_card_of_two_tags_are_refused():
    with pytest.raises(DeckError, match="stands for two cards"):
        Tags(((uid_of(0), Card(1, "a")), (uid_of(0), Card(2, "a"))))
    with pytest.raises(DeckError, match="1a has two tags"):
        Tags(((uid_of(0), Card(1, "a")), (uid_of(1), Card(1, "a"))))


# ---- file ----------------------------------------------------------------------------------


def asides(path: Path) -> list[bytes]:
    return [file.read_bytes() for file in sorted(path.parent.glob(f"{path.name}.unreadable-*"))]


def test_a_new_box_has_no_tags_and_nothing_to_say(tmp_path: Path):
    assert load(tmp_path / "deck.txt") == (Tags(), ())


def test_what_was_saved_is_loaded_and_the_one_before_is_the_backup(tmp_path: Path):
    path = tmp_path / "deck.txt"
    for tags in (OLDER, OLD, FULL):
        assert save(path, tags) == ()
    assert load(path) == (FULL, ())
    assert load(backup_of(path)) == (OLD, ())
    save(path, FULL)
    assert load(backup_of(path)) == (OLD, ()), "saving the same again keeps the older backup"
    assert {file.name for file in tmp_path.iterdir()} == {"deck.txt", "deck.txt.bak", "deck.txt.bak-1"}
    assert load(tmp_path / "deck.txt.bak-1") == (OLDER, ()), "no save costs an earlier backup"


def test_a_disk_that_writes_byte_by_byte_saves_all_the_same(tmp_path: Path):
    path = tmp_path / "deck.txt"
    save(path, FULL, ShortWrites())
    assert load(path) == (FULL, ())


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "it is empty"),
        (GARBAGE, "line 1: found"),
        (b"tacocat-deck 1\n1a \xff\n", "line 2 is not UTF-8 (byte 0xff)"),
        (b"#" * (MAX_BYTES + 1), "larger than 64 KiB"),
        (format_tags(OLD).encode()[:-3], "has 6 bytes"),
    ],
)
def test_an_unreadable_file_is_set_aside_and_said_and_its_backup_is_used(tmp_path: Path, data: bytes, reason: str):
    path = tmp_path / "deck.txt"
    save(path, OLDER)
    save(path, OLD)
    path.write_bytes(data)
    tags, (notice,) = load(path)
    assert tags == OLDER
    assert reason in notice.reason and notice.stand_in is StandIn.BACKUP
    assert notice.aside is not None and notice.aside.read_bytes() == data
    assert notice.aside.name in str(notice) and "its backup is used" in str(notice)
    tags, (notice,) = load(path)
    assert tags == OLDER and notice.reason == "it is missing"


def test_files_set_aside_never_overwrite_each_other_nor_the_backup(tmp_path: Path):
    path = tmp_path / "deck.txt"
    save(path, OLDER)
    save(path, OLD)
    for n in range(3):
        path.write_bytes(b"bad %d" % n)
        (notice,) = save(path, NEW) if n % 2 else load(path)[1]
        assert notice.aside is not None
    assert asides(path) == [b"bad 0", b"bad 1", b"bad 2"]
    assert load(backup_of(path))[0] == OLDER


def test_if_both_are_unreadable_both_are_set_aside_and_said(tmp_path: Path):
    path = tmp_path / "deck.txt"
    path.write_bytes(b"")
    backup_of(path).write_bytes(GARBAGE)
    tags, notices = load(path)
    assert tags == {} and [notice.stand_in for notice in notices] == [StandIn.NOTHING] * 2
    assert asides(path) == [b""] and asides(backup_of(path)) == [GARBAGE]
    assert load(path) == (Tags(), ())


def test_a_folder_in_the_place_of_the_deck_stays_is_said_and_is_not_overwritten(tmp_path: Path):
    path = tmp_path / "deck.txt"
    path.mkdir()  # it can be neither read nor replaced
    tags, (notice,) = load(path)
    assert tags == {} and notice.aside is None and notice.left_alone
    assert str(notice).startswith(f"{path}: it is a folder, not a file; it was left as it is")
    with pytest.raises(SaveError, match=r"deck\.txt could not be saved"):
        save(path, OLD)
    assert [file.name for file in tmp_path.iterdir()] == ["deck.txt"] and path.is_dir()


def test_a_missing_folder_is_made_and_one_that_cannot_be_is_a_save_error_that_says_what_to_look_at(tmp_path: Path):
    assert save(tmp_path / "nowhere" / "yet" / "deck.txt", OLD) == ()
    (tmp_path / "file").touch()
    with pytest.raises(SaveError, match="cannot be used: it is a file, not a folder") as caught:
        save(tmp_path / "file" / "deck.txt", OLD)
    assert isinstance(caught.value, OSError) and isinstance(caught.value, FirmwareError)


# what is on the disk before the save, and what a start after any failure may find
TEXT = {tags: format_tags(tags).encode() for tags in (OLD, OLDER, NEW)}
BEFORE = {
    "nothing": ({}, [Tags(), NEW]),
    "a deck": ({"": TEXT[OLD]}, [OLD, NEW]),
    "a deck and its backup": ({"": TEXT[OLD], ".bak": TEXT[OLDER]}, [OLD, NEW]),
    "garbage and a backup": ({"": GARBAGE, ".bak": TEXT[OLDER]}, [OLDER, NEW]),
    "nothing but a backup": ({".bak": TEXT[OLDER]}, [OLDER, NEW]),
    "a half-written new one": ({"": TEXT[OLD], ".new": b"tacocat-deck 1\n1a 04"}, [OLD, NEW]),
}


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EROFS])
def test_whatever_call_fails_while_saving_the_deck_is_whole_and_garbage_is_kept(tmp_path: Path, before: str, code: int):
    files, allowed = BEFORE[before]
    failed: list[str] = []
    for step in range(100):
        folder = tmp_path / str(step)
        folder.mkdir()
        path = folder / "deck.txt"
        for suffix, data in files.items():
            (folder / f"deck.txt{suffix}").write_bytes(data)
        (folder / "another.txt").write_bytes(b"mine")
        disk = FailingDisk(step, code)
        try:
            save(path, NEW, disk)
        except SaveError as error:
            assert str(error).startswith((f"{path} could not be saved: ", f"the folder {folder} cannot be used: "))
            failed.append(disk.calls[step])
        else:
            assert load(path) == (NEW, ())
            if disk.calls[step:] == []:  # nothing failed: every step has had its turn
                break
            assert disk.calls[step] == "unlink", "only this may fail without anything being lost"
        if disk.calls[step] not in ("make_folder", "target"):  # these come before anything is touched
            assert not (folder / "deck.txt.new").exists()
        assert (folder / "another.txt").read_bytes() == b"mine"
        held = [file.read_bytes() for file in folder.iterdir()]
        assert GARBAGE in held or GARBAGE not in files.values()
        tags, notices = load(path)
        assert tags in allowed
        assert not notices or files.get("") != TEXT[OLD], "a whole file stays in its place"
    calls = {"make_folder", "target", "create", "keep_access", "write", "fsync", "close", "read", "replace"}
    assert {*calls, "open_folder"} <= set(failed)


@pytest.mark.parametrize("before", BEFORE)
def test_a_power_cut_at_any_call_of_a_save_leaves_the_old_deck_or_the_new_one(before: str):
    files, allowed = BEFORE[before]
    path = Path("/state/deck.txt")
    at_start = {path.with_name(path.name + suffix): data for suffix, data in files.items()}
    outcomes = 0
    for cut_at in range(100):
        disk = MemoryDisk.holding(at_start, cut_at)
        try:
            save(path, NEW, disk)
        except PowerCut:
            done = False
        else:
            done = True
        for reached in range(disk.outcomes):
            outcomes += 1
            found = disk.after_cut(reached)
            assert GARBAGE in found.contents().values() or GARBAGE not in files.values()
            tags, notices = load(path, found)
            assert tags == NEW if done else tags in allowed
            assert not notices or files.get("") != TEXT[OLD], "a whole file stays in its place"
            save(path, NEW, found)
            assert load(path, found) == (NEW, ())
        if done:
            break
    assert done and outcomes > 10


def test_a_power_cut_at_any_call_of_a_load_costs_neither_the_garbage_nor_the_backup():
    path = Path("/state/deck.txt")
    for cut_at in range(20):
        disk = MemoryDisk.holding({path: GARBAGE, backup_of(path): TEXT[OLDER]}, cut_at)
        try:
            load(path, disk)
        except PowerCut:
            done = False
        else:
            done = True
        for reached in range(disk.outcomes):
            found = disk.after_cut(reached)
            assert GARBAGE in found.contents().values()
            assert load(path, found)[0] == OLDER
    assert done


@given(st.binary(max_size=60))
def test_no_bytes_on_the_disk_stop_a_load_and_none_of_them_are_lost(data: bytes):
    path = Path("/state/deck.txt")
    disk = MemoryDisk.holding({path: data, backup_of(path): TEXT[OLDER]})
    tags, notices = load(path, disk)
    assert data in disk.contents().values()
    assert tags == OLDER and len(notices) == 1


def test_a_replaced_file_leaves_no_handle_open_whatever_fails(tmp_path: Path):
    path = tmp_path / "settings.toml"
    before = len(os.listdir("/proc/self/fd"))
    for step in range(20):
        disk = FailingDisk(step)
        try:
            replace_file(path, b"x", disk)
        except SaveError:
            continue
        if len(disk.calls) <= step:
            break
    assert path.read_bytes() == b"x"
    assert len(os.listdir("/proc/self/fd")) == before


def test_setting_a_missing_file_aside_leaves_no_empty_file_behind(tmp_path: Path):
    with pytest.raises(FileNotFoundError):
        set_aside(tmp_path / "deck.txt")
    assert list(tmp_path.iterdir()) == []
