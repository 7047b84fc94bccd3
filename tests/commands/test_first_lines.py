"""A signal while the program is still being imported: it ends at once, and says nothing."""

import signal
import subprocess
import sys

import pytest

from firmware import __main__, cli
from tests.support.places import ROOT

# The signal comes while the module `sys.argv[1]` is looked for.
INTERRUPTED = """
import os, sys
module, number = sys.argv.pop(1), int(sys.argv.pop(1))
class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == module:
            os.kill(os.getpid(), number)
sys.meta_path.insert(0, Finder)
from firmware.__main__ import main
sys.exit(main())
"""
PLAY = ("play", "--virtual", "--no-browser", "--quiet", "--port", "0")


def interrupted(module, number, tmp_path):
    return subprocess.run(
        [sys.executable, "-c", INTERRUPTED, module, str(int(number)), *PLAY, "--state", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("module", ["firmware.cli", "argparse", "firmware.commands.play", "engine.game"])
def test_a_signal_while_the_program_is_imported_ends_it_at_once_without_a_word(module, number, tmp_path):
    done = interrupted(module, number, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (-number, "", "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_the_parts_are_imported_ends_the_session_in_good_order(number, tmp_path):
    done = interrupted("firmware.virtual.parts", number, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_ctrl_c_that_was_ignored_stays_ignored_from_the_first_line_on(monkeypatch):
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        monkeypatch.setattr(cli, "main", lambda: 0)
        assert __main__.main() == 0
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_ctrl_c_that_python_has_taken_before_the_first_line_is_quiet_too(monkeypatch):
    def late(number, handler):
        raise KeyboardInterrupt  # as signal.signal does with what it finds waiting

    monkeypatch.setattr(signal, "signal", late)
    monkeypatch.setattr(signal, "getsignal", lambda number: signal.default_int_handler)
    assert __main__.main() == 130
