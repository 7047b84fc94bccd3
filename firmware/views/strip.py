"""The game's state as light along the track (docs/device.md, Track). Pure.

Every state differs from its neighbours in brightness or movement, not in hue alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.board import GOALS, SPACES, Arrow
from engine.cards import PLAYERS, WOW, YAY, Player
from engine.round import Phase
from engine.rules import Mode
from firmware.config.values import StripConfig
from firmware.table.state import FLASH_MS, FLASHES, GLIDE_STEP_MS, Stage, Table
from hardware.ports import Breathe, Colour, Flash, Glide, LightEffect, Picture, Run

# Chosen so that 64 LEDs stay within the default budget of 400 mA, both goals breathing: were the Pico to dim the whole
# strip for it, Tacocat would breathe too.
TACOCAT: Colour = (150, 80, 14)
FREE: Colour = (6, 6, 8)
COVERED: Colour = (0, 0, 0)
EDGE: Colour = (3, 3, 3)
PLAYER_COLOURS: dict[Player, Colour] = {YAY: (0, 50, 110), WOW: (110, 24, 36)}
FELT: dict[Player, Colour] = {YAY: (20, 75, 75), WOW: (60, 62, 48)}  # a pad feels a card: paler, and it stands still
GOAL_DIM = 10  # a goal that is not awaited has this fraction of its colour: 1 / 10
ALARM: Colour = (150, 70, 35)
ARROW_DOT: Colour = (60, 60, 60)
_UNWRITTEN = StripConfig()  # without a file: each default stands there
BREATH_MS, DOT_MS, VICTORY_MS = 2400, 1600, 1500


@dataclass(frozen=True, slots=True)
class StripLayout:
    """How many LEDs each goal and each of the seven spaces has, along the strip from `yay`'s goal.

    `brightness`: percent, 1 to 100, of everything shown.
    """

    goal_leds: int = _UNWRITTEN.goal_leds
    space_leds: tuple[int, ...] = _UNWRITTEN.space_leds
    brightness: int = _UNWRITTEN.brightness

    @property
    def leds(self) -> int:
        return 2 * self.goal_leds + sum(self.space_leds)

    def span(self, space: int) -> tuple[int, int]:
        """(first LED, how many) of a space, 0 and 8 being the goals."""
        counts = (self.goal_leds, *self.space_leds, self.goal_leds)
        return sum(counts[:space]), counts[space]


def picture_of(table: Table, now_ms: int, layout: StripLayout) -> Picture:
    """What the strip shows of the table at `now_ms`."""
    still: list[Colour] = [(0, 0, 0)] * layout.leds
    if table.stage in (Stage.MAIN_MENU, Stage.TEACHING):
        for player in PLAYERS:
            _fill(still, layout.span(GOALS[player]), _goal(table, player))
        return Picture(tuple(_at(layout.brightness, colour) for colour in still))
    _draw_spaces(still, table, layout)
    effects = (replace(e, colour=_at(layout.brightness, e.colour)) for e in _effects(table, now_ms, layout))
    return Picture(tuple(_at(layout.brightness, colour) for colour in still), tuple(effects))


def _at(brightness: int, colour: Colour) -> Colour:
    """The colour at that percentage; what is lit stays lit."""
    r, g, b = (-(-channel * brightness // 100) for channel in colour)
    return r, g, b


def _fill(still: list[Colour], span: tuple[int, int], colour: Colour) -> None:
    first, count = span
    still[first : first + count] = [colour] * count


def resting(player: Player) -> Colour:
    """The colour of a goal whose player is not awaited."""
    r, g, b = PLAYER_COLOURS[player]
    return r // GOAL_DIM, g // GOAL_DIM, b // GOAL_DIM


def _goal(table: Table, player: Player) -> Colour:
    return FELT[player] if _feels(table, player) else resting(player)


def _feels(table: Table, player: Player) -> bool:
    """Whether the pad has a card that may yet count; in board mode none does."""
    counts = table.game.rules.mode is not Mode.BOARD or table.stage is Stage.TEACHING
    return counts and table.pad(player).feels_a_card


def _draw_spaces(still: list[Colour], table: Table, layout: StripLayout) -> None:
    track = table.game.track
    for player in PLAYERS:
        _fill(still, layout.span(GOALS[player]), _goal(table, player))
    for space in range(1, SPACES + 1):
        first, count = layout.span(space)
        _fill(still, (first, count), COVERED if space in track.covered else FREE)
        if space in track.covered and count:
            still[first] = still[first + count - 1] = EDGE
    if not table.motion.glide:  # else the glide brings it there, and rests
        _fill(still, layout.span(track.tacocat), TACOCAT)


def _effects(table: Table, now_ms: int, layout: StripLayout) -> list[LightEffect]:
    motion, game = table.motion, table.game
    effects: list[LightEffect] = []
    if game.winner is not None and now_ms >= table.over_ms:
        colour = PLAYER_COLOURS[game.winner]
        effects.append(Run(0, layout.leds, colour, VICTORY_MS, game.winner is YAY, table.over_ms))
    breathing = [player for player in awaited(table) if not _feels(table, player)]
    effects += [Breathe(*layout.span(GOALS[player]), PLAYER_COLOURS[player], BREATH_MS) for player in breathing]
    effects += _arrow_dots(table, layout)
    if motion.glide:
        stops = tuple(layout.span(space) for space in motion.glide)
        effects.append(Glide(stops, TACOCAT, GLIDE_STEP_MS, motion.glide_ms))
    for player, since_ms in motion.flashes:
        if now_ms - since_ms < FLASHES * FLASH_MS:
            effects.append(Flash(*layout.span(GOALS[player]), ALARM, FLASHES, FLASH_MS, since_ms))
    return effects


def awaited(table: Table) -> tuple[Player, ...]:
    """The players whose goals breathe: those who must act."""
    if table.menu is not None:
        return ()
    opponent, state = table.opponent, table.game.round
    if opponent is not None and state.phase is Phase.ATTACK and state.attacker is not opponent.side:
        return (opponent.side.other,)  # the table answers only to an attack that was closed
    return table.game.to_act


def _arrow_dots(table: Table, layout: StripLayout) -> list[LightEffect]:
    """A dot that runs over Tacocat's space to where its arrow points, while cards are replaced."""
    game = table.game
    if game.phase is not Phase.REPLACE:
        return []
    first, count = layout.span(game.track.tacocat)
    arrow = game.round.arrow
    if arrow is not Arrow.BOTH:
        return [Run(first, count, ARROW_DOT, DOT_MS, backwards=arrow == Arrow.YAY)]
    half = count // 2
    return [Run(first, half, ARROW_DOT, DOT_MS, backwards=True), Run(first + count - half, half, ARROW_DOT, DOT_MS)]
