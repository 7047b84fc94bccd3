"""The command `tacocat`: its words and options, and which of `commands` each is for."""

from __future__ import annotations

import argparse
import logging
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from engine.players.names import LEVEL_NAMES
from firmware import __version__
from firmware.commands.streams import (
    OutputLostError,
    Printer,
    PrinterHandler,
    divert,
    errors,
    fill_missing_streams,
    formatter_for,
    output,
)
from firmware.errors import LONGEST_PRINTED, SHOWN, FirmwareError, bounded, one_line, short
from firmware.files.names import ShownPath, plain
from firmware.run.ending import Interrupted, interrupted_by_signals

Command = Callable[[], int]  # returns the exit status
GAMES = {
    "run": "the main menu: go on, play, referee, board, teach the deck, settings (what the service starts)",
    "play": "both hands are known: every deal and draw is read, every rule is checked at once",
    "solo": "you alone against the table, which plays the other side",
    "referee": "only the plays are read; what hidden hands make impossible is proved",
    "board": "no cards are read: the track and the screen as board and scorekeeper",
}
POINTS = "the turning points, too: the plays of a game of play mode that cost the most (games: with show)"


def main(argv: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0; 1: something failed, or what was printed was lost; 2: wrong arguments or files;
    128 + n: stopped by signal n.
    """
    try:
        fill_missing_streams()
        args = _parser().parse_args(argv)
        # Each imports what it needs: replay needs no driver, and starts at once. An import is not interrupted by an
        # exception, which Python may print and forget there.
        command = _COMMANDS.get(args.command, _play)(args)
        with interrupted_by_signals(for_good=argv is None):  # before anything is lit
            status = command()
            output().flush()
            return status
    except Interrupted as stopped:
        return stopped.status
    except FirmwareError as error:
        _say_last(f"tacocat: {error}")
        return 2
    except OutputLostError as lost:
        divert(sys.stdout)
        if lost.reader_gone:
            return 0
        _say_last(f"tacocat: what it prints is lost: {lost.reason}")
        return 1
    except OSError as error:
        divert(sys.stdout)
        _say_last(f"tacocat: {error}")
        return 1


def _say_last(text: str) -> None:
    """Tell whoever started it, if anybody listens; what cannot be said now is not tried again at the program's end."""
    errors().write(text + "\n")


# ---- each command, imported and ready to be carried out ----------------------------------------


def _replay(args: argparse.Namespace) -> Command:
    from firmware.commands.replay import ReplayForm, replay_file

    form = "public" if args.public else "json" if args.json else "story"
    return lambda: replay_file(args.file, ReplayForm(form), sys.stdin.buffer, output(), errors(), points=args.points)


def _play(args: argparse.Namespace) -> Command:
    from firmware.commands.logs import told_by
    from firmware.commands.play import Wanted, play_command

    backend, config_file = _backend_and_config(args)
    browser = backend == "virtual" and not args.no_browser
    wanted = Wanted(
        args.command, backend, config_file, args.state, args.port, args.host, tuple(args.allow_host), browser
    )

    def command() -> int:
        with Printer(sys.stdout) as printer, Printer(sys.stderr) as faults:
            handler = PrinterHandler(faults, formatter_for(sys.stderr))
            with told_by(handler, logging.WARNING if args.quiet else logging.INFO):
                return play_command(wanted, printer, faults)

    return command


def _games(args: argparse.Namespace) -> Command:
    from firmware.commands.games import games_command
    from firmware.kept.folder import GAMES_FOLDER, state_folder

    folder = (args.state or state_folder()) / GAMES_FOLDER
    wanted = args.what, args.number, args.file
    return lambda: games_command(folder, *wanted, output(), errors(), force=args.force, points=args.points)


def _deck(args: argparse.Namespace) -> Command:
    from firmware.commands.deck import deck_command
    from firmware.kept.folder import DECK_FILE, state_folder

    path = (args.state or state_folder()) / DECK_FILE
    wanted = args.what, args.file
    return lambda: deck_command(path, *wanted, output(), errors(), stdin=sys.stdin.buffer, force=args.force)


def _flash(args: argparse.Namespace) -> Command:
    from firmware.commands.flash import flash_command

    return lambda: flash_command(args.port, _say_if_heard, errors())


def _check(args: argparse.Namespace) -> Command:
    from firmware.commands.check import CheckOptions, check_command
    from firmware.commands.logs import told_by
    from firmware.kept.folder import state_folder

    backend, config = _backend_and_config(args)
    options = CheckOptions(backend, args.state or state_folder(), config, args.json, args.ask)

    def command() -> int:
        handler = PrinterHandler(_say_last, formatter_for(sys.stderr))
        with told_by(handler):
            return check_command(options, sys.stdin, output(), errors())

    return command


def _setup(args: argparse.Namespace) -> Command:
    from firmware.commands.setup import setup_command

    def set_up() -> int:
        try:
            return setup_command(args.config or _installed_config() or Path("table.toml"), _read, say)
        except OutputLostError as lost:  # nobody could read the questions, and so nothing was written
            divert(sys.stdout)
            _say_last(f"tacocat setup: what it asks is lost: {lost.reason}. Nothing was written")
            return 1

    return set_up


def _bot(args: argparse.Namespace) -> Command:
    from firmware.bots.stdio import bot_command

    return lambda: bot_command(args.level)


def _match(args: argparse.Namespace) -> Command:
    from engine.rules import Mode
    from firmware.commands.match import match_command
    from firmware.config.reading import load

    def play_match() -> int:
        rules = load(args.config).rules(Mode.PLAY)
        names, streams = (args.one, args.other), (output(), errors())
        return match_command(names, args.pairs, args.seed, args.ms, rules, *streams, closed=args.sandbox)

    return play_match


_COMMANDS = {
    "replay": _replay,
    "games": _games,
    "deck": _deck,
    "flash": _flash,
    "check": _check,
    "setup": _setup,
    "bot": _bot,
    "match": _match,
}


def say(line: str) -> None:
    print(bounded(line), file=output(), flush=True)


def _say_if_heard(line: str) -> None:
    """For what is not to stop half way because nobody listens."""
    try:
        say(one_line(line, LONGEST_PRINTED))
    except OutputLostError:
        divert(sys.stdout)


def _read(prompt: str) -> str:
    try:
        return input(prompt)
    except OSError as error:
        raise OutputLostError(error) from error


def _backend_and_config(args: argparse.Namespace) -> tuple[str, Path | None]:
    """What the command line says, else what this machine is, and there the file that the service reads."""
    backend = args.backend or ("pi" if is_pi() else "virtual")
    return backend, args.config or (_installed_config() if backend == "pi" else None)


def _installed_config(path: Path = Path("/etc/tacocat/table.toml")) -> Path | None:
    """The file that the service reads, where the table is installed."""
    return path if path.exists() else None


def is_pi(model: Path = Path("/proc/device-tree/model")) -> bool:
    """Whether this machine is a Raspberry Pi, by what its device tree calls it."""
    try:
        return model.read_bytes().startswith(b"Raspberry Pi")
    except OSError:
        return False


class _Parser(argparse.ArgumentParser):
    """argparse takes a help that cannot be printed for one that was, and prints words as they were given."""

    def error(self, message: str) -> NoReturn:
        super().error(one_line(message))

    def _print_message(self, message: str, file: Any = None) -> None:
        stream = output() if file is sys.stdout else errors()
        stream.write(message)
        stream.flush()


class _Words(_Parser):
    """The words and options of one command, in any order (argparse by itself before 3.12: not between two words)."""

    _intermixed = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        if self._intermixed:
            return super().parse_known_args(args, namespace)
        self._intermixed = True
        try:
            return self.parse_known_intermixed_args(_plain_behind_dashes(args), namespace)
        finally:
            self._intermixed = False


def _plain_behind_dashes(args: Any) -> Any:
    """The same, where a word behind `--` that begins with a dash, which can only be a file, no longer does.

    argparse reads intermixed words twice, and has forgotten `--` at the second time.
    """
    if "--" not in args:
        return args
    behind = args.index("--") + 1
    files = (f"./{word}" if word.startswith("-") and word != "-" else word for word in args[behind:])
    return [*args[:behind], *files]


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="tacocat", description="The table that plays along: Tacocat Spelled Backwards.")
    parser.add_argument("--version", action="version", version=f"tacocat {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Words)
    for name, text in GAMES.items():
        _add_game(commands.add_parser(name, help=text, description=text))
    replay = commands.add_parser("replay", help="judge a transcript (.taco)")
    replay.add_argument("file", metavar="FILE", help="the transcript; - is standard input")
    replay.add_argument("--json", action="store_true", help="one JSON object a line for every event")
    either = replay.add_mutually_exclusive_group()
    either.add_argument("--public", action="store_true", help="the same, but only what somebody beside the table sees")
    flash = commands.add_parser("flash", help="put the strip's program on a Raspberry Pi Pico, also one that runs it")
    flash.add_argument("--port", type=_named, metavar="TTY", help="which, if there are several, as in /dev/ttyACM0")
    games = commands.add_parser("games", help="the games that are kept: list, show or export them")
    games.add_argument("what", nargs="?", choices=("list", "show", "export"), default="list")
    games.add_argument("number", nargs="?", type=int, help="of the game, as the list has it; the newest if left out")
    games.add_argument("file", nargs="?", type=_path, metavar="FILE", help="export: where to (default, and -: printed)")
    for command in (either, games):
        command.add_argument("--points", action="store_true", help=POINTS)
    deck = commands.add_parser("deck", help="the deck that was taught: list, export or import it")
    deck.add_argument("what", nargs="?", choices=("list", "export", "import"), default="list")
    deck.add_argument(
        "file",
        nargs="?",
        type=_path,
        metavar="FILE",
        help="export: where to; import: from where; - is standard input or output",
    )
    for command in (games, deck):
        command.add_argument("--force", action="store_true", help="export: also over a file that is there")
    check = commands.add_parser("check", help="look at every part: what is found, and what to do about each fault")
    check.add_argument("--json", action="store_true", help="one JSON object with all rows; asks only with --ask")
    check.add_argument(
        "--ask",
        action=argparse.BooleanOptionalAction,
        help="ask for cards, presses and what is seen (the default in a terminal)",
    )
    _add_backend(check)
    _add_bots(commands)
    setup = commands.add_parser("setup", help="write a table.toml, by questions about your box and your table")
    for command in (check, setup):
        command.add_argument("--config", type=_path, metavar="FILE", help="a table.toml; see table.example.toml")
    for command in (games, deck, check):
        command.add_argument("--state", type=_path, metavar="FOLDER", help="where decks and games are kept")
    return parser


def _add_bots(commands: Any) -> None:
    bot = commands.add_parser("bot", help="play for a host, in lines on standard input and output (docs/bots.md)")
    bot.add_argument("--level", choices=LEVEL_NAMES, default="good", help="how strong (default: good)")
    match = commands.add_parser("match", help="two bots against each other, on mirrored deals")
    for name in ("one", "other"):
        match.add_argument(name, metavar=name.upper(), help=f"a level ({', '.join(LEVEL_NAMES)}) or a command")
    match.add_argument("--pairs", type=_count, default=100, help="of games, with the sides exchanged (default: 100)")
    match.add_argument("--seed", type=_seed, default=1, help="of the first pair; each has the next one (default: 1)")
    match.add_argument("--ms", type=_count, default=100, help="for each decision (default: 100)")
    match.add_argument("--config", type=_path, metavar="FILE", help="a table.toml, for deck, board and ties")
    match.add_argument("--sandbox", action="store_true", help="without files and environment, as at a table")


def _count(text: str) -> int:
    if not (re.fullmatch(r"[0-9]{1,7}", text) and int(text)):
        raise argparse.ArgumentTypeError(f"{short(text)!r} found, a whole number from 1 to 9999999 is expected")
    return int(text)


def _seed(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,15}", text):
        raise argparse.ArgumentTypeError(f"{short(text)!r} found, a whole number of at most 15 digits is expected")
    return int(text)


def _add_backend(command: argparse.ArgumentParser) -> None:
    where = command.add_mutually_exclusive_group()
    where.add_argument(
        "--virtual",
        dest="backend",
        action="store_const",
        const="virtual",
        help="at a table in the browser (the default where there is no Pi)",
    )
    where.add_argument(
        "--device", dest="backend", action="store_const", const="pi", help="on the device (the default on a Pi)"
    )


def _path(text: str) -> Path:
    """A file or folder of the command line. An empty text is a shell's variable that is not set, not this folder."""
    if not text:
        raise argparse.ArgumentTypeError("'' is no file or folder: a name is expected, or . for the folder you are in")
    return ShownPath(text)


def _named(text: str) -> str:
    """The name of a device or a host. An empty host would be all networks, which nobody asked for."""
    if not text.strip():
        raise argparse.ArgumentTypeError(f"{short(text)!r} is no name: one is expected, or leave the option out")
    return text


def _port(text: str) -> int:
    """A TCP port of the command line; 0 is any free one."""
    if not re.fullmatch(r"[0-9]{1,5}", text) or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{short(text)!r} is not a port: 0 to 65535 is expected")
    return int(text)


def _host_name(text: str) -> str:
    """A name or an address of the command line, as a browser writes it into its address line, without the port."""
    if not re.fullmatch(r"[A-Za-z0-9._-]+|\[?[0-9A-Fa-f:]+(\.[0-9.]+)?\]?", text):
        raise argparse.ArgumentTypeError(
            f"{plain(text, SHOWN)!r} is not a name of a host, as in table.example: no port"
        )
    return text.strip("[]").removesuffix(".").lower()


def _add_game(game: argparse.ArgumentParser) -> None:
    _add_backend(game)
    game.add_argument("--config", type=_path, metavar="FILE", help="a table.toml; see table.example.toml")
    game.add_argument("--state", type=_path, metavar="FOLDER", help="where decks and games are kept")
    game.add_argument("--port", type=_port, help="of the virtual table; 0: any that is free (default 8000)")
    game.add_argument(
        "--host",
        type=_named,
        default="127.0.0.1",
        help="of the virtual table (default: this machine alone; 0.0.0.0 or ::, all its networks)",
    )
    game.add_argument(
        "--allow-host",
        type=_host_name,
        action="append",
        default=[],
        metavar="NAME",
        help="another name under which the virtual table may be asked for, as a proxy gives it; may be repeated",
    )
    game.add_argument("--no-browser", action="store_true", help="do not open a browser")
    game.add_argument("--quiet", action="store_true", help="say only what is wrong")
