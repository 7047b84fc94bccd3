"""What a page of the screen holds. It knows no rules, no language and no pixels."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Page:
    """What the screen shows. An empty field takes no room.

    title: the phase, in one or two words. arrow: "", "left", "right" or "both", to who must act.
    what: what to do, on one or two lines. count: such as "3 of 7". note: the verdict, or what can be taken back; on
    two lines, or up to four on a page without `what`. cards: the ranks shown for left and right, "?" face down, ""
    none. bar: a label and how full it is, 0 to 100; it covers a note of more than one line. menu, chosen: a list,
    and which of its lines is inverted; it scrolls. left, right: what each button does, under a menu. fault: which
    part is missing, in one line; beside it a note has one line.
    """

    title: str = ""
    arrow: str = ""
    what: str = ""
    count: str = ""
    note: str = ""
    cards: tuple[str, str] | None = None
    bar: tuple[str, int] | None = None
    menu: tuple[str, ...] = ()
    chosen: int = 0
    left: str = ""
    right: str = ""
    fault: str = ""

    def __post_init__(self) -> None:
        if self.arrow not in ("", "left", "right", "both"):
            raise ValueError(f'Page.arrow is {self.arrow!r}: expected "", "left", "right" or "both"')
        if self.bar is not None and not 0 <= self.bar[1] <= 100:
            raise ValueError(f"Page.bar is {self.bar[1]}: expected 0 to 100")
