"""What is changed on the device is kept, goes before table.toml, and survives a damaged file."""

import errno
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.rules import LateFoul, Tie
from firmware.config.table_toml import EXAMPLE, filled_in
from firmware.config.values import Config
from firmware.kept.settings import (
    CHOICES,
    FILE_NAME,
    HEADER,
    OLD_FILE_NAME,
    Setting,
    Settings,
    SettingsError,
    applied,
    format_settings,
    load,
    next_value,
    parse_old_settings,
    parse_settings,
    save,
    settings_of,
)
from firmware.words import LANGUAGES
from tests.support.disks import FailingDisk

any_settings = st.builds(
    Settings,
    st.sampled_from(tuple(LANGUAGES)),
    st.booleans(),
    st.integers(1, 100),
    st.sampled_from(Tie),
    st.sampled_from(LateFoul),
    st.booleans(),
)


@given(any_settings, any_settings)
def test_parse_and_format_are_inverse_also_over_an_older_text(settings, older):
    assert parse_settings(format_settings(settings), Settings()) == (settings, ())
    assert parse_settings(format_settings(settings, format_settings(older)), Settings()) == (settings, ())


@given(st.text(max_size=200))
def test_any_text_is_settings_or_an_error_in_words(text):
    for parse, candidate in ((parse_settings, text), (parse_old_settings, f"tacocat-settings 1\n{text}")):
        try:
            assert isinstance(parse(candidate, Settings())[0], Settings)
        except SettingsError as error:
            assert "expected" in str(error)


@given(any_settings, any_settings)
def test_the_words_are_those_of_the_configuration(settings, others):
    """One format for what people write and what the menu keeps."""
    text = filled_in(applied(Config(), settings), EXAMPLE.read_text())
    found, _ = parse_settings(text, others)
    assert found == settings


BY_HAND = """\
# by hand

language = "fy"   # as we speak
new_word = [1,
  2]

[rules]
tie = "arrow"
dance = true

[club]
name = "Wednesday"
"""


def test_what_else_stands_in_the_file_stays_as_it_is():
    text = format_settings(Settings("ca", False, 40), BY_HAND)
    assert parse_settings(text, Settings())[0] == Settings("ca", False, 40)
    for kept in (
        "# by hand",
        'language = "ca"   # as we speak',
        "new_word = [1,\n  2]",
        "dance = true",
        "[club]\nname",
    ):
        assert kept in text
    assert text.count("language") == 1 and text.startswith("# by hand\n")


@pytest.mark.parametrize("old", ['rules = {tie = "arrow"}\nmine = 1\n', 'language = """\nfy"""\nmine = 1\n'])
def test_a_file_that_cannot_be_changed_line_by_line_is_kept_aside_and_written_anew(tmp_path, old):
    (tmp_path / FILE_NAME).write_text(old)
    (notice,) = save(tmp_path, Settings("ca"))
    assert notice.aside is not None and notice.aside.read_text() == old
    assert load(tmp_path, Config()) == (Settings("ca"), ())


def test_settings_go_before_the_configuration():
    settings = Settings("ca", False, 40, Tie.ARROW, LateFoul.FORFEIT, True)
    config = applied(Config(), settings)
    assert settings_of(config) == settings
    assert settings_of(Config()) == Settings()


def test_what_the_file_lacks_is_as_configured():
    assert parse_settings("sound = false\n", Settings(language="el")) == (Settings("el", sound=False), ())


def test_blank_lines_and_comments_are_nothing_and_a_word_of_a_newer_version_costs_only_itself(tmp_path):
    (tmp_path / FILE_NAME).write_text(BY_HAND)
    settings, notices = load(tmp_path, Config())
    assert settings == Settings("fy", tie=Tie.ARROW)
    words = [str(notice) for notice in notices]
    assert [
        name for text in words for name in ("new_word", "dance", "club") if f" {name}:" in text.replace("rules.", "")
    ]
    assert len(words) == 3 and all(text.endswith("; the rest of it is used") for text in words)
    assert (tmp_path / FILE_NAME).read_text() == BY_HAND
    save(tmp_path, next_value(settings, Setting.SOUND))
    assert (
        "dance = true" in (tmp_path / FILE_NAME).read_text() and (tmp_path / f"{FILE_NAME}.bak").read_text() == BY_HAND
    )


def test_a_value_that_cannot_be_costs_only_itself(tmp_path):
    (tmp_path / FILE_NAME).write_text('language = "xx"\nsound = "loud"\nswap_sides = true\ntrack = 3\n')
    settings, notices = load(tmp_path, Config())
    assert settings == Settings(swap_sides=True) and len(notices) == 3


OLD = "tacocat-settings 1\nlanguage el\nsound no\nbrightness 40\ntie arrow\nlate_foul forfeit\nswap_sides yes\n"


def test_settings_of_the_first_version_are_taken_over_once(tmp_path):
    (tmp_path / OLD_FILE_NAME).write_text(OLD)
    settings = Settings("el", False, 40, Tie.ARROW, LateFoul.FORFEIT, True)
    assert load(tmp_path, Config()) == (settings, ())
    assert (tmp_path / f"{OLD_FILE_NAME}.taken-over-1").read_text() == OLD
    assert not (tmp_path / OLD_FILE_NAME).exists()
    assert parse_settings((tmp_path / FILE_NAME).read_text(), Settings()) == (settings, ())
    (tmp_path / OLD_FILE_NAME).write_text("tacocat-settings 1\nsound yes\n")
    assert load(tmp_path, Config()) == (settings, ()), "the new file goes before an old one"


@pytest.mark.parametrize("call", ["create", "write", "fsync", "replace"])
def test_settings_of_the_first_version_serve_on_a_disk_that_takes_nothing(tmp_path, call):
    (tmp_path / OLD_FILE_NAME).write_text(OLD)
    disk = FailingDisk(code=errno.EROFS)
    disk.fail_next(call)
    settings, notices = load(tmp_path, Config(), disk)
    assert settings.language == "el" and notices == ()
    assert (tmp_path / OLD_FILE_NAME).read_text() == OLD
    assert load(tmp_path, Config())[0] == settings


def test_of_the_first_versions_settings_too_a_faulty_line_costs_only_itself(tmp_path):
    text = "tacocat-settings 1\n\n# mine\nlanguage el # Greek\nsound loud\nbrightness 0\nnew 1\nswap_sides yes\n"
    (tmp_path / OLD_FILE_NAME).write_text(text)
    settings, notices = load(tmp_path, Config())
    assert settings == Settings("el", swap_sides=True)
    assert [notice.reason[:7] for notice in notices] == ["line 5:", "line 6:", "line 7:"]


def test_settings_that_cannot_be_read_now_are_left_alone_and_not_replaced(tmp_path):
    save(tmp_path, Settings("fy"))
    save(tmp_path, Settings("ca"))
    before = (tmp_path / FILE_NAME).read_bytes()
    disk = FailingDisk(code=errno.EIO)
    disk.fail_next("read")
    settings, (notice,) = load(tmp_path, Config(), disk)
    assert settings == Settings("fy") and notice.left_alone
    assert "cannot be read now" in str(notice) and "its backup is used" in str(notice)
    assert (tmp_path / FILE_NAME).read_bytes() == before


def test_kept_settings_come_back(tmp_path):
    settings = Settings("ar", False, 20)
    save(tmp_path / "state", settings)
    assert load(tmp_path / "state", Config()) == (settings, ())


@pytest.mark.parametrize("damage", [b"", b"\0" * 40, b"\xff\xfe", b'language = "e'])
def test_a_damaged_file_is_said_and_the_backup_serves(tmp_path, damage):
    save(tmp_path, Settings("fy"))
    save(tmp_path, Settings("ca"))
    (tmp_path / FILE_NAME).write_bytes(damage)
    settings, notices = load(tmp_path, Config())
    assert settings == Settings("fy") and notices


@pytest.mark.parametrize("setting", list(Setting))
def test_the_menu_goes_round_all_choices(setting):
    settings, seen = Settings(), []
    for _ in CHOICES[setting]:
        seen.append(getattr(settings, setting))
        settings = next_value(settings, setting)
    assert sorted(map(str, seen)) == sorted(map(str, CHOICES[setting])) and settings == Settings()


@pytest.mark.parametrize("value", ["0", "101", "1000", "0100", "00501", "-1", "٣", ""])
def test_a_brightness_that_cannot_be_is_passed_over(value):
    with suppress(SettingsError):  # no number to TOML
        settings, (fault,) = parse_settings(f"[track]\nbrightness = {value}\n", Settings(brightness=33))
        assert settings.brightness == 33 and "1 to 100" in fault
    settings, faults = parse_old_settings(f"tacocat-settings 1\nbrightness {value}\n", Settings(brightness=33))
    assert settings.brightness == 33 and len(faults) == 1


@pytest.mark.parametrize(("value", "percent"), [("1", 1), ("7", 7), ("33", 33), ("100", 100)])
def test_a_brightness_of_the_first_version_is_any_whole_percentage(value, percent):
    assert parse_old_settings(f"tacocat-settings 1\nbrightness {value}\n", Settings()) == (
        Settings(brightness=percent),
        (),
    )


def test_the_menu_dims_in_four_steps_and_goes_on_with_the_brightest():
    settings = Settings(brightness=100)
    seen = [(settings := next_value(settings, Setting.BRIGHTNESS)).brightness for _ in range(4)]
    assert seen == [70, 40, 20, 100]


def test_from_a_value_that_the_menu_does_not_offer_it_goes_to_the_first_one():
    assert next_value(Settings(brightness=33), Setting.BRIGHTNESS).brightness == 100


WRITTEN = Settings("ca", False, 40)
TOP = 'language = "ca"\nsound = false\nswap_sides = false\n'
RULES_AFTER, TRACK_AFTER = (
    '\n[rules]\ntie = "redeal"\nlate_foul = "note"\nhints = true\n',
    "\n[track]\nbrightness = 40\n",
)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", f"{HEADER}{TOP}{RULES_AFTER}{TRACK_AFTER}"),
        # the comment at the head stays there, and no other one is taken for it
        (
            "# mine\n# more\n\nsound = true\n",
            f'# mine\n# more\nlanguage = "ca"\nswap_sides = false\n\nsound = false\n{RULES_AFTER}{TRACK_AFTER}',
        ),
        ("\n# late\n", f"{TOP}\n# late\n{RULES_AFTER}{TRACK_AFTER}"),
        (
            "sound = true\n# mine\n[club]\nname = 1\n",
            f'language = "ca"\nswap_sides = false\nsound = false\n# mine\n[club]\nname = 1\n{RULES_AFTER}{TRACK_AFTER}',
        ),
        # what is missing comes first in its section, also in one that ends the file
        (
            "# a\n[track]\n# b\nlength = 3\n[more.rules]\ntie = 1\n[rules]\n",
            f"# a\n{TOP}[track]\nbrightness = 40\n# b\nlength = 3\n[more.rules]\ntie = 1\n"
            '[rules]\ntie = "redeal"\nlate_foul = "note"\nhints = true\n',
        ),
        (
            "[rules] # house\n  tie=  'arrow' # x\n",
            f'{TOP}[rules] # house\nlate_foul = "note"\nhints = true\n  tie=  "redeal" # x\n{TRACK_AFTER}',
        ),
    ],
)
def test_a_setting_is_changed_where_it_stands_and_a_missing_one_is_put_at_the_beginning_of_its_section(old, new):
    assert format_settings(WRITTEN, old) == new


@pytest.mark.parametrize("text", ["", "language el\n", "tacocat-settings 2\nlanguage el\n"])
def test_settings_of_the_first_version_begin_with_its_header(text):
    with pytest.raises(SettingsError, match="'tacocat-settings 1' is expected"):
        parse_old_settings(text, Settings())


def test_a_new_box_has_the_settings_of_its_configuration_and_nothing_to_say(tmp_path):
    config = applied(Config(), WRITTEN)
    assert load(tmp_path, config) == (WRITTEN, ())


def test_settings_of_the_first_version_do_not_serve_for_present_ones_that_are_damaged(tmp_path):
    (tmp_path / OLD_FILE_NAME).write_text(OLD)
    (tmp_path / FILE_NAME).write_text("language = [")
    settings, (notice,) = load(tmp_path, Config())
    assert settings == Settings() and notice.path == tmp_path / FILE_NAME
    assert (tmp_path / OLD_FILE_NAME).read_text() == OLD


@pytest.mark.parametrize("old", [format_settings(Settings("fy")), HEADER, 'rules = {tie = "arrow"}\n', BY_HAND])
def test_a_text_of_which_nothing_is_lost_is_not_kept_aside(tmp_path, old):
    (tmp_path / FILE_NAME).write_text(old)
    assert save(tmp_path, WRITTEN) == ()
    assert {path.name for path in tmp_path.iterdir()} == {FILE_NAME, f"{FILE_NAME}.bak"}
