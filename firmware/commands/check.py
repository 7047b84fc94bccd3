"""`tacocat check`: opens the parts, looks at them, prints what was found."""

from __future__ import annotations

import json
import shutil
import warnings
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TextIO

import gpiozero

from firmware import __version__
from firmware.check.checking import run_check
from firmware.check.rows import Ask, Say, as_json, format_rows
from firmware.check.system import of_this_machine
from firmware.check.terminal import TerminalAsk
from firmware.config.reading import load
from firmware.config.values import Config, ConfigError
from firmware.errors import FirmwareError, printable
from firmware.files.lock import DeviceLock, lock_path
from firmware.kept import settings as kept_settings
from firmware.run.backends import open_parts
from firmware.run.ending import Interrupted, interrupted_by_signals
from firmware.table.findings import Row, has_fault
from firmware.wiring.parts import Parts
from firmware.wiring.pins import open_what_opens
from hardware.ports import HardwareError


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """What the command line says. `ask`: None asks if there is a terminal."""

    backend: str
    state: Path
    config_file: Path | None = None
    as_json: bool = False
    ask: bool | None = None

    @property
    def virtual(self) -> bool:
        return self.backend == "virtual"


def check_command(options: CheckOptions, stdin: TextIO, out: TextIO, err: TextIO) -> int:
    """Run the check and print it. Returns 0 if nothing is faulty, else 1."""

    def say(line: str) -> None:
        print(printable(line), file=err, flush=True)

    try:
        with interrupted_by_signals():
            rows = _check(options, _asker(options, stdin, out, err), say)
    except (FirmwareError, HardwareError, OSError) as error:
        say(f"tacocat check: {error}")
        return 1
    except Interrupted as stopped:
        say("tacocat check: stopped; all parts are dark again")
        return stopped.status
    if options.as_json:
        print(json.dumps({"version": __version__, **as_json(rows)}, ensure_ascii=False), file=out, flush=True)
    else:
        print(f"tacocat {__version__}", file=out)
        print(printable(format_rows(rows, shutil.get_terminal_size().columns)), end="", file=out, flush=True)
    return 1 if has_fault(rows) else 0


def _asker(options: CheckOptions, stdin: TextIO, out: TextIO, err: TextIO) -> Ask | None:
    """Questions go to the errors' stream: the table, or the JSON, stands alone on the other one."""
    asked = stdin.isatty() and err.isatty() and not options.as_json if options.ask is None else options.ask
    # at a virtual table nobody could put a card down: its page is not open
    return TerminalAsk(stdin, err) if asked and not options.virtual else None


def _check(options: CheckOptions, ask: Ask | None, say: Say) -> list[Row]:
    machine = partial(of_this_machine, state=options.state, virtual=options.virtual, config_file=options.config_file)
    with ExitStack() as closing:
        if not options.virtual:
            closing.enter_context(DeviceLock(lock_path(), "tacocat check"))
        try:
            config = load(options.config_file)
        except ConfigError as error:
            return run_check(None, machine(Config(), config_faults=[str(f) for f in error.faults]), ask, say)
        settings, notices = kept_settings.load(options.state, config, look_only=True)
        config = kept_settings.applied(config, settings)
        parts, broken = _open(options.backend, config)
        closing.enter_context(parts)
        faulty = [str(notice) for notice in notices if not notice.left_alone]  # the disk's row has the others
        return run_check(parts, machine(config, notices=faulty), ask, say, broken)


def _open(backend: str, config: Config) -> tuple[Parts, dict[str, str]]:
    with warnings.catch_warnings():
        # gpiozero warns of each pin library that it falls back from; the row of the pin chip says it once
        warnings.simplefilter("ignore", gpiozero.PinFactoryFallback)
        if backend == "pi":
            return open_what_opens(config, lambda event: None)
        return open_parts(backend, config, lambda event: None), {}
