"""`tacocat run`, `play`, `solo`, `referee` and `board`: a session at the table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from engine.errors import EngineError
from engine.rules import Mode
from firmware.config.reading import load
from firmware.config.values import Config, ConfigError
from firmware.errors import FirmwareError, printable
from firmware.files.whole import make_folder
from firmware.kept.folder import state_folder
from firmware.run.app import Options, play
from firmware.virtual.listening import Listening
from hardware.ports import HardwareError


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the command line says. `word`: "run", "solo", or a mode. None: the configuration's, or the usual one.

    `host`, `names`: see `Listening` of the page.
    """

    word: str
    backend: str
    config_file: Path | None
    state: Path | None
    port: int | None
    host: str
    names: tuple[str, ...]
    browser: bool


def _listening(wanted: Wanted, config: Config) -> Listening:
    port = config.virtual.port if wanted.port is None else wanted.port
    if wanted.backend != "virtual":
        return Listening(wanted.host, port, wanted.names)
    from firmware.virtual.addresses import others_may_log_in  # no device has a page

    return Listening(wanted.host, port, wanted.names, shared=others_may_log_in())


def play_command(wanted: Wanted, say: Callable[[str], object], err: Callable[[str], object]) -> int:
    """Play until told to end. Returns the exit status: 0, 1 if it could not begin, 2 for a faulty configuration."""
    try:
        config = load(wanted.config_file)
        if wanted.state is not None:  # a wrong word of the command line; at other times the table goes on without
            make_folder(wanted.state)
        solo = wanted.word == "solo"
        options = Options(
            mode=None if wanted.word == "run" else Mode.PLAY if solo else Mode(wanted.word),
            backend=wanted.backend,
            config=config,
            state=wanted.state or state_folder(),
            listening=_listening(wanted, config),
            browser=wanted.browser,
            solo=solo,
        )
        play(options, say)
    except (FirmwareError, HardwareError, EngineError, OSError) as error:
        err(printable(f"tacocat: {error}"))
        return 2 if isinstance(error, ConfigError) else 1
    return 0
