"""Standard streams that are closed, full, slow or gone; options anywhere."""

import errno
import io
import json
import logging
import os
import shlex
import stat
import subprocess
import sys
import threading

import pytest

from firmware import cli
from firmware.commands.streams import (
    MOST_LINES,
    JournalFormatter,
    OutputLostError,
    Printer,
    PrinterHandler,
    formatter_for,
)
from tests.support.places import GAMES, ROOT

TACOCAT = f'{shlex.quote(sys.executable)} -c "import sys; from firmware.cli import main; sys.exit(main())"'


def shell(line, state):
    """Run a line of sh; T is the command. The exit status of the last part, and what it said."""
    line = line.replace("T ", f"{TACOCAT} ", 1)
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {line}"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "STATE_DIRECTORY": str(state), "HOME": str(state)},
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("T games >&-", 0),
        ("T games <&- >&- 2>&-", 0),
        ("T replay - <&-", 0),
        ("T replay a.taco 2>&-", 2),
        ("T setup --config $HOME/x.toml <&-", 1),
        ("T games >/dev/full", 1),
        ("T deck >/dev/full 2>/dev/full", 1),
        ("T replay missing.taco 2>/dev/full", 2),
        ("T --nonsense 2>/dev/full", 2),
        ("T setup --config $HOME/x.toml >/dev/full </dev/null", 1),
        ("T setup --config $HOME/x.toml </dev/null | true", 1),
        ("T games | true", 0),
    ],
)
def test_k4_20_a_stream_that_is_not_there_or_full_is_no_traceback(tmp_path, line, status):
    found, said = shell(line, tmp_path)
    assert "Traceback" not in said and "Exception ignored" not in said
    assert found == status, said


DECK = "tacocat-deck 1\n7a 04a1b2c3d4e5f6\n"
PRINTING = (
    "--version",
    "--help",
    "games --help",
    "games",
    "games show",
    "games export",
    "deck",
    "deck export",
    "deck import $HOME/in.txt",
    "replay $HOME/games/game-0001.taco",
    "replay $HOME/games/game-0001.taco --json",
    "check --virtual --no-ask",
)


@pytest.mark.parametrize("buffered", ["", "1"])
@pytest.mark.parametrize("words", PRINTING)
def test_output_that_is_lost_has_one_status_for_every_command(tmp_path, monkeypatch, words, buffered):
    monkeypatch.setenv("PYTHONUNBUFFERED", buffered)
    (tmp_path / "games").mkdir()
    (tmp_path / "games/game-0001.taco").write_bytes((GAMES / "board.taco").read_bytes())
    for name in ("deck.txt", "in.txt"):
        (tmp_path / name).write_text(DECK)
    for out, expected in ((">/dev/full", {1}), (">&-", {0}), ("| true", {0})):
        found, said = shell(f"T {words} {out}", tmp_path)
        of_machine = {0, 1} if words.startswith("check") and out == ">&-" else set()  # what it found of this one
        assert found in expected | of_machine, (out, said)
        assert ("what it prints is lost: No space left on device" in said) is ("full" in out)


# However slow the machine is: the session has begun when its game is on the disk.
STOPPED_WHEN_A_GAME_IS_KEPT = """
import os, pathlib, signal, threading
def stop():
    games = pathlib.Path(os.environ["STATE_DIRECTORY"], "games")
    while not list(games.glob("*.taco")):
        threading.Event().wait(0.05)
    os.kill(os.getpid(), signal.SIGTERM)
threading.Thread(target=stop, daemon=True).start()
"""


@pytest.mark.parametrize("out", [">/dev/full 2>/dev/full", "2>&1 | true", ">&- 2>&-"])
def test_k5_35_an_evening_does_not_depend_on_its_output(tmp_path, out):
    (tmp_path / "stop.py").write_text(STOPPED_WHEN_A_GAME_IS_KEPT)
    tacocat = TACOCAT.replace("import sys;", "import os, runpy, sys; runpy.run_path(os.environ['HOME'] + '/stop.py');")
    line = f"T board --virtual --no-browser --port 0 {out}".replace("T ", tacocat + " ")
    status, said = shell(line, tmp_path)
    assert (status, "Traceback" in said) == (0, False), said
    assert list((tmp_path / "games").glob("*.taco"))


class Slow(io.StringIO):
    """A stream whose reader takes nothing."""

    def __init__(self):
        super().__init__()
        self.free = threading.Event()

    def write(self, text):
        self.free.wait(20)
        return super().write(text)


def test_a_reader_that_takes_nothing_makes_nobody_wait_and_no_memory_grow():
    slow = Slow()
    printer = Printer(slow)
    for number in range(3 * MOST_LINES):
        printer(str(number))
    slow.free.set()
    printer.close()
    assert slow.getvalue().splitlines()[:2] == ["0", "1"]


class Watched(Slow):
    """It says when a line is begun, and when one that was waited for is there."""

    def __init__(self, wanted):
        super().__init__()
        self.begun, self.wanted = threading.Event(), {line: threading.Event() for line in wanted}

    def write(self, text):
        self.begun.set()
        count = super().write(text)
        if (line := text.rstrip("\n")) in self.wanted:
            self.wanted[line].set()
        return count


def test_a_thousand_lines_wait_for_a_slow_reader_and_the_others_are_dropped():
    slow = Watched(["1000", "later"])
    printer = Printer(slow)
    printer("0")
    assert slow.begun.wait(10)  # it waits no longer, but is being printed
    for number in range(1, 1_100):
        printer(str(number))
    slow.free.set()
    assert slow.wanted["1000"].wait(10)
    printer("later")
    assert slow.wanted["later"].wait(10)
    printer.close()
    assert slow.getvalue().splitlines() == [*map(str, range(1001)), "later"]


def test_what_a_slow_reader_has_not_taken_at_the_end_is_lost_and_only_then_is_the_stream_lost_too(tmp_path):
    with (tmp_path / "quick").open("w+") as quick:
        printer = Printer(quick)
        printer("one")
        printer.close()
        quick.write("two\n")
        quick.seek(0)
        assert quick.read() == "one\ntwo\n"
    with (tmp_path / "slow").open("w") as file:
        slow = Watched([])
        slow.fileno = file.fileno
        printer = Printer(slow)
        printer("one")
        assert slow.begun.wait(10)
        printer.close()
        assert stat.S_ISCHR(os.fstat(file.fileno()).st_mode), "what is written from now on goes to the null device"
        slow.free.set()


@pytest.mark.parametrize("closed", [set(), {0}, {1}, {2}, {0, 1, 2}])
def test_a_stream_that_is_closed_becomes_the_null_device_and_the_others_stay(tmp_path, closed):
    (tmp_path / "told").touch()
    code = (
        "import json, os, sys\n"
        "from firmware.commands.streams import fill_missing_streams\n"
        "null = os.stat(os.devnull).st_rdev\n"
        "streams = sys.stdin, sys.stdout, sys.stderr\n"
        "fill_missing_streams()\n"
        "now = sys.stdin, sys.stdout, sys.stderr\n"
        "told = {'null': [n for n in range(3) if os.fstat(n).st_rdev == null],\n"
        "        'same': [n for n in range(3) if now[n] is streams[n]],\n"
        "        'read': now[0].read(), 'written': [stream.write('words') for stream in now[1:]]}\n"
        "[stream.flush() for stream in now[1:]]\n"
        "with open(sys.argv[1], 'w') as file:\n"
        "    json.dump(told | {'next': file.fileno()}, file)\n"
    )
    gone = " ".join(f"{number}>&-" if number else "<&-" for number in closed)
    done = subprocess.run(
        ["bash", "-c", f'"$0" -c "$1" "$2" {gone}', sys.executable, code, str(tmp_path / "told")],
        input="typed",
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=60,
        check=True,
    )
    told = json.loads((tmp_path / "told").read_text())
    assert told == {
        "null": sorted(closed),
        "same": sorted({0, 1, 2} - closed),
        "read": "" if 0 in closed else "typed",
        "written": [5, 5],
        "next": 3,
    }
    assert (done.stdout, done.stderr) == tuple("" if number in closed else "words" for number in (1, 2))


def test_output_that_is_lost_is_told_by_the_system_s_words_or_by_those_that_there_are():
    full = OutputLostError(OSError(errno.ENOSPC, "No space left on device"))
    assert (full.reason, full.reader_gone) == ("No space left on device", False)
    assert OutputLostError(OSError("the other end is odd")).reason == "the other end is odd"
    assert OutputLostError(BrokenPipeError(errno.EPIPE, "Broken pipe")).reader_gone


def test_each_line_in_the_journal_has_its_level_and_no_other_stream_has(tmp_path):
    with (tmp_path / "journal").open("w") as stream:
        status = os.fstat(stream.fileno())
        ours = {"JOURNAL_STREAM": f"{status.st_dev}:{status.st_ino}"}
        assert isinstance(formatter_for(stream, ours), JournalFormatter)
        assert not isinstance(formatter_for(stream, {"JOURNAL_STREAM": "1:2"}), JournalFormatter)
    record = logging.LogRecord("tacocat", logging.ERROR, "", 0, "a\nb", (), None)
    assert JournalFormatter("%(message)s").format(record) == "<3>a\n<3>b"


@pytest.mark.parametrize(
    ("level", "number"),
    [
        (logging.CRITICAL, 3),
        (logging.ERROR, 3),
        (logging.WARNING, 4),
        (logging.INFO, 6),
        (logging.DEBUG, 7),
        (logging.NOTSET, 7),
    ],
)
def test_the_levels_of_the_journal_are_those_of_sd_daemon(level, number):
    record = logging.LogRecord("tacocat", level, "", 0, "words", (), None)
    assert JournalFormatter("%(message)s").format(record) == f"<{number}>words"


@pytest.mark.parametrize(
    "words",
    [
        "deck export --state st x",
        "deck --state st export x",
        "deck export x --state st",
        "games show --state st 3",
        "replay --json a.taco",
        "replay a.taco --json",
    ],
)
def test_k4_19_options_go_anywhere_behind_the_command(words):
    args = cli._parser().parse_args(words.split())
    if args.command == "deck":
        assert (args.what, str(args.file), str(args.state)) == ("export", "x", "st")
    elif args.command == "games":
        assert (args.what, args.number, str(args.state)) == ("show", 3, "st")
    else:
        assert (args.file, args.json) == ("a.taco", True)


def test_what_is_printed_tells_a_terminal_nothing_to_do():
    stream = io.StringIO()
    printer = Printer(stream)
    handler = PrinterHandler(printer, logging.Formatter("%(message)s"))
    handler.emit(logging.LogRecord("tacocat", logging.INFO, "", 0, "deck\x1b[2J\x9b\u202e of %s", ("caf\u00e9",), None))
    printer("a line\nand another")
    printer.close()
    assert stream.getvalue() == "deck\ufffd[2J\ufffd\ufffd of caf\u00e9\na line\nand another\n"


def test_a_line_and_its_end_are_written_in_one_piece() -> None:
    """Two printers may share a file: what each says stays a line, also where nothing is buffered."""
    written: list[str] = []

    class Unbuffered(io.StringIO):
        def write(self, text: str) -> int:
            written.append(text)
            return len(text)

    printer = Printer(Unbuffered())
    printer("one")
    printer("two")
    printer.close()
    assert written == ["one\n", "two\n"]


@pytest.mark.parametrize("fault", [OSError(5, "Input/output error"), MemoryError(), KeyError("odd")])
def test_a_printer_whose_stream_raises_whatever_goes_on_without_it(fault: Exception, tmp_path) -> None:
    with (tmp_path / "said").open("w") as file:
        said = []

        class Broken(io.StringIO):
            def write(self, text: str) -> int:
                said.append(text)
                if text == "one\n":
                    raise fault
                return len(text)

            def fileno(self) -> int:
                return file.fileno()

        with Printer(Broken()) as printer:
            printer("one")
            printer("two")
    assert said == ["one\n", "two\n"]
