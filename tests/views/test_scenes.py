"""What is shown and heard at many tables is what has been written down: who changes it sees it, and means it."""

from __future__ import annotations

from tests.support.scenes import COMMAND, FILE, all_paragraphs
from tests.support.wide_pages import all_tables
from tests.support.written import check_as_written

ADVICE = f"if this change was meant, run `{COMMAND}` and read what is different"


def test_every_scene_is_as_it_is_written_down() -> None:
    check_as_written(all_paragraphs(), FILE, ADVICE)


def test_every_table_of_the_gallery_and_of_the_wide_pages_is_written_down_once() -> None:
    names = [name for name, _, _ in all_tables()]
    kept = [line for line in FILE.read_text(encoding="utf-8").splitlines() if line in set(names)]
    assert kept == names, ADVICE
