"""Every page stands where it stood when it was last looked at: see tests/support/drawn_pages.py."""

from __future__ import annotations

import pytest

from tests.support.drawn_pages import growing, kept, told

PAGES = dict(growing())
KEPT = kept()


def test_what_is_written_down_is_of_these_pages() -> None:
    assert list(KEPT) == list(PAGES)


@pytest.mark.parametrize("kind", sorted({name.rstrip("0123456789").rstrip() for name in PAGES}))
def test_each_piece_of_a_page_stands_in_its_place_and_type(kind: str) -> None:
    names = [name for name in PAGES if name.rstrip("0123456789").rstrip() == kind]
    assert {name: told(PAGES[name]) for name in names} == {name: KEPT[name] for name in names}
