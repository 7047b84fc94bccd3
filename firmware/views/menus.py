"""The pages of the menus, of the settings, and of teaching a deck. Pure."""

from __future__ import annotations

from engine.cards import DEFAULT_DECK, PLAYERS, YAY
from engine.rules import LateFoul, Mode, Tie
from firmware import __version__
from firmware.kept.settings import Setting, Settings
from firmware.table import teaching
from firmware.table.menus import At, Item, row_of
from firmware.table.state import Table
from firmware.views import advice
from firmware.views.page import Page
from firmware.words import LANGUAGES, N_, Words

TITLES: dict[str, str] = {
    At.GAME: N_("Menu"),
    At.AGAIN: N_("Again?"),
    At.END: N_("End the game?"),
    At.TAG: N_("This card is a…"),
    At.HOW_TO: N_("How to play"),
    At.HINT: N_("Hint"),
    At.POINTS: N_("Turning points"),
    At.MAIN: N_("Tacocat"),
    At.OVER: N_("Game over"),
    At.SETTINGS: N_("Settings"),
    At.OFF: N_("Switch off?"),
    At.CHECKED: N_("Check"),
    At.LEVEL: N_("How strong?"),
    At.SIDE: N_("Your side?"),
}
LINES: dict[str, str] = {
    Item.GO_ON: N_("Go on"),
    Item.ROUND_AGAIN: N_("This round again"),
    Item.HOW_TO: N_("How to play"),
    Item.HINT: N_("A hint"),
    Item.POINTS: N_("Turning points"),
    Item.NAME_TAG: N_("Name the unknown tag"),
    Item.END_GAME: N_("End the game"),
    Item.PLAY_AGAIN: N_("Play again"),
    Item.MAIN_MENU: N_("Main menu"),
    Item.ON_WITH_BOARD: N_("On without cards"),
    Item.RESUME: N_("Go on: round {n}"),
    Item.TEACH: N_("Teach the deck"),
    Item.CHECK: N_("Check all parts"),
    Item.SETTINGS: N_("Settings"),
    Item.SWITCH_OFF: N_("Switch off"),
    Item.BACK: N_("Back"),
    Item.SOLO: N_("Play against Tacocat"),
    Item.ROW_MIXED: N_("The row is mixed up"),
    "gentle": N_("Gentle"),
    "good": N_("Good"),
    "strong": N_("Strong"),
    Mode.PLAY: N_("Play: all cards read"),
    Mode.REFEREE: N_("Referee: plays only"),
    Mode.BOARD: N_("Board: track, score"),
}


def menu_page(table: Table, fault: str, say: Words) -> Page:
    """The page of the open menu; `fault` is the line about parts that do not work."""
    menu = table.menu
    assert menu is not None
    if menu.page == At.REMEDY:
        return _remedy_page(table, menu.items[menu.chosen], say)
    title = say(TITLES[At(menu.page)])
    if menu.page == At.AGAIN:
        missing = [player for player in PLAYERS if player not in menu.agreed]
        return Page(
            title=title,
            arrow="both" if len(missing) == 2 else "left" if YAY in missing else "right",
            what=say("Both: press ok"),
            count=say("{n} of {all}", n=len(menu.agreed), all=2),
            note=say("Tacocat stays. Hold: back"),
            fault=fault,
        )
    if menu.page == At.HOW_TO:
        count = say("{n} of {all}", n=menu.chosen + 1, all=len(menu.items))
        note = say(menu.items[menu.chosen])
        return Page(title=title, count=count, note=note, left=say("next"), right=say("close"), fault=fault)
    if menu.page in advice.PAGES:
        return advice.PAGES[At(menu.page)](table, title, fault, say)
    items = tuple(_line(item, table, say) for item in menu.items)
    return Page(title=title, menu=items, chosen=menu.chosen, left=say("next"), right=say("take"), fault=fault)


def _remedy_page(table: Table, item: str, say: Words) -> Page:
    """What the check found of one part, and what to do: in the words of `tacocat check`, cut where they are longer."""
    row = row_of(table, item)
    assert row is not None
    return Page(title=row.part, count=row.state.value, note=row.remedy or row.found, right=say("Back"))


def _line(item: str, table: Table, say: Words) -> str:
    row = row_of(table, item)
    if row is not None:
        return f"{row.part}: {row.state.value}"
    if item in list(Setting):
        return _setting(Setting(item), table.settings, say)
    if table.menu is not None and table.menu.page == At.SIDE:
        return say("I am {name}", name=item.split(" ", maxsplit=1)[0].upper())
    if item == Item.VERSION:
        return say("Version {version}", version=__version__)
    if item == Item.RESUME:
        assert table.offer is not None
        return say(LINES[item], n=table.offer.game.number)
    return say(LINES[item]) if item in LINES else item


def _setting(setting: Setting, settings: Settings, say: Words) -> str:
    """A setting and its value, in one line."""
    match setting:
        case Setting.LANGUAGE:
            return LANGUAGES[settings.language].own_name
        case Setting.SOUND:
            return say("Sound: on") if settings.sound else say("Sound: off")
        case Setting.BRIGHTNESS:
            return say("Brightness: {n} %", n=settings.brightness)
        case Setting.TIE:
            return say("Tie: deal again") if settings.tie is Tie.REDEAL else say("Tie: the arrow wins")
        case Setting.LATE_FOUL:
            note = settings.late_foul is LateFoul.NOTE
            return say("Late foul: told") if note else say("Late foul: loses")
        case Setting.HINTS:
            return say("Hints: on") if settings.hints else say("Hints: off")
    return say("Sides: swapped") if settings.swap_sides else say("Sides: as built")


def teach_page(table: Table, note: str, bar: tuple[str, int] | None, fault: str, say: Words) -> Page:
    """The page of a deck being taught: which rank is wanted, how many are there, and in the end what deck it is."""
    state = table.teaching
    assert state is not None
    if state.complete:
        return _taught_page(table, state, bar, fault, say)
    return Page(
        title=say("Teach the deck"),
        count=say("{n} here", n=state.copies(state.rank)),
        what=say("All the {rank}s, then ok", rank=state.rank),
        note=note or (say("Hold: back") if state.rank == 1 else ""),
        bar=bar,
        fault=fault,
    )


def _taught_page(table: Table, state: teaching.Teaching, bar: tuple[str, int] | None, fault: str, say: Words) -> Page:
    needed = teaching.why_not(state, table.game.rules.board)
    total = len(state.taught)
    if needed:
        note = say.many("This board needs {n} card. Hold: back", "This board needs {n} cards. Hold: back", needed)
    elif differences := teaching.differences(state, DEFAULT_DECK):
        shown = ", ".join(f"{rank}: {more:+d}" for rank, more in differences[:4])
        note = say("Not as usual: {ranks}", ranks=shown + ("…" if len(differences) > 4 else ""))
    else:
        note = say("The usual deck, complete")
    what = say("Hold: back") if needed else say("ok: keep this deck")
    count = say.many("{n} card", "{n} cards", total)
    return Page(title=say("The deck"), count=count, what=what, note=note, bar=bar, fault=fault)
