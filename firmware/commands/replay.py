"""`tacocat replay`: judge a transcript, as JSON lines or as a story for people."""

from __future__ import annotations

import json
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO, TextIO

from engine.events import Event
from engine.game import Game, judge, new_game
from engine.record import judged, public_line
from engine.transcript import Entry, TranscriptError, TranscriptReader
from engine.verdict import Verdict
from firmware.errors import printable
from firmware.files.disk import why
from firmware.files.names import plain
from firmware.files.outside import open_to_read
from firmware.kept.games import NO_TEXT, has_no_text
from firmware.views.story import Story

MAX_LINE_BYTES = 1 << 16  # a longer line is no transcript's, and would fill memory


class ReplayForm(StrEnum):
    """How a game is told: to people, to programs, or to programs as the public has seen it."""

    STORY = "story"
    JSON = "json"
    PUBLIC = "public"


def replay(stream: BinaryIO, source: str, form: ReplayForm, out: TextIO, err: TextIO, *, points: bool = False) -> int:
    """Judge the transcript in `stream`; `points`: and say its turning points. Returns the exit status: 0, or 2 if it
    could not be read to its end."""
    reader = TranscriptReader(plain(source))
    game: Game | None = None
    story = Story(out) if form is ReplayForm.STORY else None
    events: list[Event] | None = [] if points else None
    try:
        for number, entry in enumerate(_entries(reader, stream, err), 1):
            if game is None:
                assert reader.rules is not None
                game = new_game(reader.rules)
                if story:
                    story.begin(game, reader.solo)
            before, (game, verdict) = game, judge(game, entry.event)
            if events is not None:
                events.append(entry.event)
            if story:
                story.tell(before, entry, verdict, game)
            elif form is ReplayForm.PUBLIC:
                out.write(json.dumps(public_line(number, before, entry.event, verdict, game)) + "\n")
            else:
                out.write(json_line(entry, verdict, game) + "\n")
        reader.finish()
    except TranscriptError as error:
        out.flush()
        err.write(printable(f"{error}\n"))
        return 2
    if story and game is not None:
        story.end(game)
    elif story:
        out.write("no events\n")
    if events is not None and game is not None:
        from firmware.commands.points import tell_points  # the players take time to import

        tell_points(game, events, form is ReplayForm.JSON, out)
    return 0


def replay_file(
    name: str, form: ReplayForm, stdin: BinaryIO | None, out: TextIO, err: TextIO, *, points: bool = False
) -> int:
    """The same for a file by its name; `-` is standard input."""
    if name == "-" and stdin is not None:
        return replay(stdin, "standard input", form, out, err, points=points)
    try:
        stream = open_to_read(Path(name))
    except OSError as error:
        text = (
            f"{plain(name)} cannot be read: {why(error)}. A transcript (.taco) is expected, or - for standard input.\n"
        )
        err.write(printable(text))
        return 2
    with stream:
        return replay(stream, name, form, out, err, points=points)


def _entries(reader: TranscriptReader, stream: BinaryIO, err: TextIO) -> Iterator[Entry]:
    for raw in _raw_lines(reader, stream):
        if not raw.endswith(b"\n"):
            if not reader.line and has_no_text(raw):
                raise TranscriptError(1, NO_TEXT, reader.source)
            # what a power cut leaves (docs/transcript.md)
            place = f"{reader.source}, line {reader.line + 1}"
            err.write(printable(f"{place}: no newline at its end, so it may be cut short: dropped\n"))
            return
        try:
            text = raw[:-1].decode()
        except UnicodeDecodeError as error:
            raise TranscriptError(
                reader.line + 1, f"byte {error.start + 1} is not UTF-8: a transcript is UTF-8 text", reader.source
            ) from None
        entry = reader.feed(text)
        if entry is not None:
            yield entry


def _raw_lines(reader: TranscriptReader, stream: BinaryIO) -> Iterator[bytes]:
    try:
        while raw := stream.readline(MAX_LINE_BYTES + 1):
            if len(raw) > MAX_LINE_BYTES:
                words = f"a line of more than {MAX_LINE_BYTES} bytes: an event has a few"
                raise TranscriptError(reader.line + 1, words, reader.source)
            yield raw
    except OSError as error:  # a card pulled out, a bad sector
        reason = error.strerror or error
        raise TranscriptError(reader.line + 1, f"reading failed here: {reason}", reader.source) from None


def json_line(entry: Entry, verdict: Verdict, game: Game) -> str:
    """The verdict on one event as docs/transcript.md describes it, without a newline."""
    return json.dumps({"line": entry.line, "event": entry.text, **judged(verdict, game)})
