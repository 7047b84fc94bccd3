"""What is changed on the device is kept, goes before table.toml, and survives a damaged file."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.rules import LateFoul, Tie
from firmware.config.values import Config
from firmware.kept.settings import (
    CHOICES,
    FILE_NAME,
    Setting,
    Settings,
    SettingsError,
    applied,
    format_settings,
    load,
    next_value,
    parse_settings,
    save,
    settings_of,
)
from firmware.words import LANGUAGES

any_settings = st.builds(
    Settings,
    st.sampled_from(tuple(LANGUAGES)),
    st.booleans(),
    st.integers(1, 100),
    st.sampled_from(Tie),
    st.sampled_from(LateFoul),
    st.booleans(),
)


@given(any_settings)
def test_parse_and_format_are_inverse(settings):
    assert parse_settings(format_settings(settings), Settings()) == settings


@given(st.text(max_size=200))
def test_any_text_is_settings_or_an_error_in_words(text):
    for candidate in (text, f"tacocat-settings 1\n{text}"):
        try:
            assert isinstance(parse_settings(candidate, Settings()), Settings)
        except SettingsError as error:
            assert "expected" in str(error)


def test_settings_go_before_the_configuration():
    settings = Settings("ca", False, 40, Tie.ARROW, LateFoul.FORFEIT, True)
    config = applied(Config(), settings)
    assert settings_of(config) == settings
    assert settings_of(Config()) == Settings()


def test_what_the_file_lacks_is_as_configured():
    assert parse_settings("tacocat-settings 1\nsound no\n", Settings(language="el")) == Settings("el", sound=False)


def test_kept_settings_come_back(tmp_path):
    settings = Settings("ar", False, 20)
    save(tmp_path / "state", settings)
    assert load(tmp_path / "state", Config()) == (settings, ())


@pytest.mark.parametrize("damage", [b"", b"\0" * 40, b"\xff\xfe", b"tacocat-settings 1\nlanguage xx\n"])
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


@pytest.mark.parametrize("value", ["0", "101", "1000", "00501", "-1", "٣", ""])
def test_a_brightness_that_cannot_be_is_refused(value):
    with pytest.raises(SettingsError, match="1 to 100"):
        parse_settings(f"tacocat-settings 1\nbrightness {value}\n", Settings())
