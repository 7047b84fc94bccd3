"""One scenario with one system call that fails, or waits, and what must hold afterwards.

The scenario runs in a process forked from this one (all modules are loaded then), and strace makes the n-th call of a
name on the state folder's files answer with an errno (strace(1), `inject`).
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import signal
import subprocess
import sys
import time
import traceback
from dataclasses import dataclass
from pathlib import Path

from engine.cards import YAY
from engine.events import ok_event
from engine.rules import Mode, Rules
from firmware.config.values import Config
from firmware.kept import deck, settings
from firmware.kept.games import ENDED, all_games, read_game, unfinished_game
from firmware.kept.journal import Journal
from tests.faults.evening import CHECK, EVENINGS, prepare, run

# The calls of the disk's path, with what their manual pages document for a disk that fails, is full, or refuses.
ERRNOS: dict[str, tuple[str, ...]] = {
    "openat": ("EIO", "EACCES", "ENOMEM", "EMFILE", "ENOSPC", "EROFS", "ELOOP"),
    "read": ("EIO", "ENOMEM"),
    "write": ("ENOSPC", "EIO", "EDQUOT"),
    "fsync": ("EIO", "ENOSPC", "EROFS", "EINVAL"),
    "ftruncate": ("EIO", "EROFS"),
    "rename": ("EIO", "ENOSPC", "EROFS", "EACCES"),
    "unlink": ("EIO", "EROFS", "EACCES"),
    "mkdir": ("ENOSPC", "EROFS", "EACCES", "EIO"),
    "getdents64": ("EIO",),  # not ENOENT, a folder that was removed: readdir of glibc takes that for an empty one
    "newfstatat": ("EIO", "EACCES", "ENOMEM"),
    "fstat": ("EIO", "ENOMEM"),
    "statfs": ("EIO", "ENOSYS"),
    "fchmod": ("EPERM", "EIO", "EROFS"),
    "flock": ("ENOLCK", "EIO"),
    "close": ("EIO",),
}
STALL_S = 6
LONGEST_PAUSE_S = 4  # of a session's loop, while something else waits for STALL_S
PR_SET_PDEATHSIG = 1  # prctl(2): the signal that we get when whoever has made us ends
PR_SET_PTRACER, ANY = 0x59616D61, ctypes.c_ulong(-1)  # prctl(2): who may trace us, where Yama asks
LONGEST_S = 120
_CALL = re.compile(r"^(?:\[?p?i?d? *\d+\]? +)?(\w+)\(")


@dataclass(frozen=True, slots=True)
class Fault:
    """The `n`-th call of that name, from 1: it answers `errno`, or waits STALL_S if that is ""."""

    call: str
    n: int
    errno: str

    def __str__(self) -> str:
        return f"{self.call} no. {self.n} " + (f"answers {self.errno}" if self.errno else f"waits {STALL_S} s")

    @property
    def inject(self) -> str:
        what = f"error={self.errno}" if self.errno else f"delay_enter={STALL_S}000000"
        return f"inject={self.call}:{what}:when={self.n}"


@dataclass(frozen=True, slots=True)
class Run:
    """How a run went. `calls` are the traced calls in their order; the folder's name is FOLDER in `out`."""

    status: int | None  # None: it did not end
    out: str
    err: str
    calls: tuple[str, ...]


def paths(folder: Path) -> list[Path]:
    """Every file that a scenario may touch: strace wants each by its name."""
    state = folder / "state"
    kept = [state / name for name in ("deck.txt", "settings.toml")]
    kept += [folder / name for name in ("out.txt", "out.taco", "in.txt")]
    suffixes = ("", ".new", ".bak", ".bak.new", ".bak-1", ".bak-2", ".unreadable-1")
    games = [state / "games" / f"game-000{n}.taco{end}" for n in range(1, 5) for end in ("", ".unreadable-1")]
    files = [path.with_name(path.name + suffix) for path in kept for suffix in suffixes]
    return [folder, state, state / "games", state / "in-use", state / "table.lock", *files, *games]


def run_scenario(folder: Path, scenario: str, fault: Fault | None) -> Run:
    """Run it in a child of this process, under strace. It ends with this process, however that ends."""
    prepare(folder, scenario)
    out, err, log = folder / "stdout", folder / "stderr", folder / "strace"
    child = os.fork()
    if child == 0:
        end_with_parent()
        _be_traced(folder, scenario, out, err)
    os.waitpid(child, os.WUNTRACED)
    traced = ["strace", "-f", "-qq", "-o", str(log), "-p", str(child), "-e", f"trace={','.join(ERRNOS)}"]
    traced += [word for path in paths(folder) for word in ("-P", str(path))]
    with subprocess.Popen(
        [*traced, *(["-e", fault.inject] if fault else [])], stderr=subprocess.PIPE, text=True
    ) as tracer:
        try:
            _wait_until(lambda: _tracer_of(child) or tracer.poll() is not None)
            os.kill(child, signal.SIGCONT)
            status = _end_of(child)
        finally:
            tracer.terminate()
    if not log.exists():
        raise RuntimeError("strace could not follow the program: is ptrace allowed here?")
    calls = tuple(match[1] for line in log.read_text(errors="replace").splitlines() if (match := _CALL.match(line)))
    said = out.read_text(errors="replace").replace(str(folder), "FOLDER")
    return Run(status, said, err.read_text(errors="replace"), calls)


def end_with_parent() -> None:
    """From now on this process is killed when the one that forked it ends."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _be_traced(folder: Path, scenario: str, out: Path, err: Path) -> None:
    status = 70
    try:
        for path, stream in ((out, 1), (err, 2)):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), stream)
        ctypes.CDLL(None).prctl(PR_SET_PTRACER, ANY, 0, 0, 0)
        os.kill(os.getpid(), signal.SIGSTOP)
        status = run(folder, scenario)
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    except BaseException as error:  # noqa: BLE001 - the outermost: as the interpreter would end
        print(f"tacocat: {error}" if app_says(error) else traceback.format_exc(), file=sys.stderr)
        status = 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def app_says(error: BaseException) -> bool:
    """Whether `tacocat run` ends with this error as a sentence (see firmware.commands.play)."""
    from engine.errors import EngineError
    from firmware.errors import FirmwareError

    return isinstance(error, FirmwareError | EngineError | OSError)


def _tracer_of(process: int) -> bool:
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return any(line.startswith("TracerPid:") and line.split()[1] != "0" for line in lines)


def _wait_until(holds) -> None:
    end = time.monotonic() + LONGEST_S
    while not holds() and time.monotonic() < end:
        time.sleep(0.002)


def _end_of(child: int) -> int | None:
    end = time.monotonic() + LONGEST_S
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


# ---- what must hold --------------------------------------------------------------------------


def wrong(folder: Path, scenario: str, done: Run, well: Run, *, stalled: bool = False) -> list[str]:
    """What does not hold after a run; `well` is the same without a fault. `stalled`: a call has waited for STALL_S."""
    found = []
    if done.status is None:
        return ["it did not end"]
    if "Traceback" in done.err or done.status < 0 or done.status > 2:
        found.append(f"it ended with {done.status}: {done.err[-600:]}")
    before = folder.with_name(folder.name + "-before")
    prepare(before, scenario)
    found += _lost(folder / "state", before / "state")
    if scenario in EVENINGS:
        found += _not_as_shown(folder / "state", done, stalled)
    elif scenario == CHECK:  # its other rows differ from run to run
        found += [] if done.out.startswith("{") and "disk" in done.out else [f"no rows: {done.err[-300:]}"]
    elif done.status == 0 and done.out != well.out:
        found.append(f"it says that all is well, and prints {done.out[:300]!r}, not {well.out[:300]!r}")
    return found + _next_start(folder / "state")


def _lost(state: Path, before: Path) -> list[str]:
    """What was there before, and is nowhere now."""
    texts = [path.read_bytes() for path in state.rglob("*") if path.is_file()]
    found = []
    for old in before.rglob("*"):
        if not old.is_file() or old.name.startswith("settings.toml"):  # of these only the latest backup is kept
            continue
        data = old.read_bytes()
        there = any(text.startswith(data.removesuffix(b"yay nonsense\n")) for text in texts)
        if not there:
            found.append(f"{old.name} as it was is nowhere any more")
    return found


def _not_as_shown(state: Path, done: Run, stalled: bool) -> list[str]:
    """What the table showed as kept, and the disk does not have."""
    lines = [line for line in done.out.splitlines() if line.startswith("{")]
    if not lines:
        return [] if done.status else [f"it showed nothing: {done.err[-300:]}"]
    shown = json.loads(lines[-1])
    if stalled and shown["longest_pause_s"] > LONGEST_PAUSE_S:  # else it tells only how busy the machine is
        return [f"the loop stood still for {shown['longest_pause_s']:.1f} s"]
    if shown["disk_lost"]:
        return [] if shown["fault"] else ["the disk is lost, and the page does not say so"]
    found = []
    kept = next((game for game in all_games(state / "games") if getattr(game, "events", 1)), None)
    if "deal" not in shown["game"] and str(getattr(kept, "game", kept)) != shown["game"]:
        found.append(f"shown was {shown['game']}, kept is {kept}")
    if deck.format_tags(deck.load(state / "deck.txt")[0]) != shown["deck"]:
        found.append("the deck that was shown is not kept")
    if settings.format_settings(settings.load(state, Config())[0]) != shown["settings"]:
        found.append("the settings that were shown are not kept")
    return found


def _next_start(state: Path) -> list[str]:
    """The next start, without a fault, goes on."""
    said: list[str] = []
    try:
        tags, _ = deck.load(state / "deck.txt")
        settings.load(state, Config())
        unfinished_game(state / "games", said.append)
        journal = Journal(state / "games")
        journal.begin(Rules(mode=Mode.BOARD))
        journal.append([ok_event(YAY)])
        journal.note(ENDED)
        journal.close()
        assert journal.path is not None and read_game(journal.path).events == 1
    except Exception:  # noqa: BLE001 - whatever it is, it is a finding
        return [f"the next start: {traceback.format_exc()[-500:]}"]
    findings = [] if len(tags) else ["the next start has no deck"]
    return findings + [f"the next start says: {text}" for text in said if "cannot" in text]
