"""pip puts into an environment what the lock says, whatever pip's own settings are on this machine."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
import venv
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.support.places import ROOT

SCRIPT = ROOT / "systemd" / "pip_install.py"


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(SCRIPT))


def a_wheel(folder: Path) -> None:
    """A package `tiny`, for `pip install --find-links`."""
    info = "tiny-1.dist-info"
    with zipfile.ZipFile(folder / "tiny-1-py3-none-any.whl", "w") as wheel:
        wheel.writestr("tiny.py", "HERE = True\n")
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: us\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", f"tiny.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")


def test_settings_of_others_change_neither_where_packages_go_nor_which_they_are(tmp_path: Path) -> None:
    wheels, elsewhere, wrong = tmp_path / "wheels", tmp_path / "elsewhere", tmp_path / "wrong"
    for folder in (wheels, wrong):
        folder.mkdir()
    a_wheel(wheels)
    (wrong / "json.py").write_text("raise RuntimeError('the wrong json')\n")
    settings = tmp_path / "pip.conf"
    settings.write_text(
        f"[global]\nno-index = true\nfind-links = {wheels}\n"
        f"[install]\nuser = true\nno-binary = :all:\ntarget = {elsewhere}\n"
    )
    venv.create(tmp_path / "made", with_pip=True)
    unhelpful = {"PIP_USER": "1", "PIP_PREFIX": str(elsewhere), "PIP_DRY_RUN": "1", "PIP_VERBOSE": "nonsense"}
    done = subprocess.run(
        [tmp_path / "made/bin/python", "-I", SCRIPT, "--no-deps", "tiny"],
        env={**os.environ, **unhelpful, "PIP_CONFIG_FILE": str(settings), "PYTHONPATH": str(wrong)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    site = f"made/lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
    assert (tmp_path / site / "tiny.py").exists() and not elsewhere.exists()


def test_where_packages_come_from_is_taken_from_the_files_and_sooner_from_the_environment(
    script: dict[str, Any],
) -> None:
    lines = [
        "global.index-url='https://a'",
        "global.user='true'",
        "install.index-url='https://b'",
        "global.trusted-host='a\\nb'",
        ":env:.proxy='https://c'",
        "nonsense",
    ]
    found = script["listed"](lines)
    assert found == {"index-url": "https://b", "trusted-host": "a\nb"}
    environ = {"PIP_INDEX_URL": "https://d", "PIP_USER": "1", "PYTHONPATH": "x", "HOME": "/home/a"}
    assert script["environment"](environ, found) == {
        "PIP_INDEX_URL": "https://d",
        "PIP_TRUSTED_HOST": "a\nb",
        "PIP_CONFIG_FILE": os.devnull,
        "HOME": "/home/a",
    }


@pytest.mark.parametrize("name", ["plain", "two words", "José's", 'my "table"', "a $HOME `id`", "back\\slash"])
def test_a_command_runs_in_a_folder_of_any_name(tmp_path: Path, script: dict[str, Any], name: str) -> None:
    folder = tmp_path / name / "bin"
    folder.mkdir(parents=True)
    (folder / "python").symlink_to(sys.executable)
    command = folder / "hello"
    # as pip writes it where the path is long or has a blank
    text = f"#!/bin/sh\n'''exec' \"{folder}/python\" \"$0\" \"$@\"\n' '''\nimport sys\nprint(sys.argv[1:])\n"
    command.write_text(text, encoding="utf-8")
    command.chmod(0o755)
    (folder / "sh").write_text("#!/bin/sh\necho another\n")
    script["mend_commands"](folder)
    said = subprocess.run([command, "one", "two"], capture_output=True, text=True, check=False)
    assert (said.stdout, said.stderr) == ("['one', 'two']\n", "")
    script["mend_commands"](folder)  # once more changes nothing
    assert subprocess.run([command], capture_output=True, text=True, check=True).stdout == "[]\n"
    assert (folder / "sh").read_text() == "#!/bin/sh\necho another\n"
