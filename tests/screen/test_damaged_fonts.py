"""A font that is missing or cut short costs only itself: another one takes its place, and that is said."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware.screen import fonts
from firmware.screen.fonts import FAMILIES, Face

FACE = Face(12)
FILES = {family: Path(fonts._font_file(family)) for family in FAMILIES.values()}


def forget() -> None:
    for function in (
        fonts._usable_file,
        fonts.font,
        fonts._run,
        fonts._placed,
        fonts._strip,
        fonts._profile,
        fonts.wrap,
    ):
        function.cache_clear()


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    forget()
    yield
    forget()


def damage(family: str, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fonts, "_font_file", lambda name: str(path if name == family else FILES[name]))


@pytest.mark.parametrize("size", [0, 100, 20_000, 80_000])
def test_for_noto_sans_that_is_cut_short_pillows_own_font_is_taken_and_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, size: int
) -> None:
    path = tmp_path / "cut.ttf"
    path.write_bytes(FILES["noto-sans"].read_bytes()[:size])
    damage("noto-sans", path, monkeypatch)
    assert fonts.width_px("Attack", FACE) > 20 and fonts.width_px("Defend", Face(20)) > 30
    (said,) = caplog.messages
    assert "cut.ttf" in said and "Pillow's own font takes its place" in said and "fontpkg-noto-sans anew" in said


@pytest.mark.parametrize("size", [None, 0, 100, 8_000])
def test_an_arabic_font_that_is_missing_or_cut_short_leaves_other_letters_as_they_were_and_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, size: int | None
) -> None:
    wide = fonts.width_px("Attack", FACE)
    forget()
    path = tmp_path / "cut.ttf"
    if size is not None:
        path.write_bytes(FILES["noto-sans-arabic"].read_bytes()[:size])
    damage("noto-sans-arabic", path, monkeypatch)
    assert fonts.width_px("Attack", FACE) == wide and not caplog.messages
    assert fonts.width_px("دفاع", FACE) > 0
    (said,) = caplog.messages
    assert "cut.ttf" in said and "Noto Sans takes its place" in said


@pytest.mark.parametrize("error", [LookupError("no such family"), ImportError("No module named 'fontpkg'")])
def test_a_font_whose_package_is_missing_is_said_and_pages_have_letters(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    def missing(family: str) -> str:
        raise error

    monkeypatch.setattr(fonts, "_font_file", missing)
    assert fonts.width_px("Attack", FACE) > 20
    assert len(caplog.messages) == 1 and str(error) in caplog.messages[0]
