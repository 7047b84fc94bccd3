"""The process that advises: it answers one question after the other (advice.py). Pure: no stream, no clock.

What it says depends on the question alone: its chance has always the same seed, and its work the same measure.
"""

from __future__ import annotations

from engine.errors import EngineError
from engine.events import Event
from engine.players.hints import hint_of
from engine.players.levels import STRONG_NODES
from engine.players.situation import NothingToDecide
from engine.players.turning import turning_points
from engine.transcript import TranscriptReader
from engine.views import parse_view
from firmware.bots.advice import costly_play, format_hint, format_points

SEED = 0


class Adviser:
    """`answers` takes line after line; `ended`: it was told to quit."""

    def __init__(self) -> None:
        self.ended = False
        self._begin()

    def _begin(self) -> None:
        self._reader, self._events = TranscriptReader("the question"), list[Event]()

    def answers(self, line: str) -> list[str]:
        """The lines that are answered to this one. Whatever cannot be followed is answered `error TEXT`."""
        word, _, rest = line.partition(" ")
        try:
            match word:
                case "quit":
                    self.ended = True
                case "view":
                    return self._hint(rest)
                case "points":
                    return self._points()
                case _:
                    entry = self._reader.feed(line)
                    if entry is not None:
                        self._events.append(entry.event)
        except (EngineError, ValueError) as error:
            self._begin()
            return [f"error {' '.join(str(error).split())}"[:200]]
        return []

    def _hint(self, text: str) -> list[str]:
        view = parse_view(text, self._reader.finish())
        self._begin()
        try:
            return [format_hint(hint_of(view, SEED, STRONG_NODES))]
        except NothingToDecide:
            return [format_hint(None)]

    def _points(self) -> list[str]:
        rules, events = self._reader.finish(), self._events
        self._begin()
        return format_points([costly_play(point) for point in turning_points(rules, events, SEED)])
