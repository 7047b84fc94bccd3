"""The wheel that the installer builds: it holds the program and nothing else, and runs wherever one stands."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from firmware import __version__
from tests.support.places import ROOT

PACKAGES = ("engine", "hardware", "firmware")
BESIDE = ("pyproject.toml", "README.md", "LICENSE")
PIP = (sys.executable, "-m", "pip", "--isolated", "--disable-pip-version-check", "--quiet")
PICTURES = "hardware/wiring"  # for whoever builds a table; the program has no use for them
GAME = "mode referee\nyay ok\nwow ok\nyay 7b\n"


def pip(*words: str | Path) -> None:
    done = subprocess.run([*PIP, *words], check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what the installer copies."""
    folder = tmp_path_factory.mktemp("source")
    for name in PACKAGES:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in BESIDE:
        shutil.copy(ROOT / name, folder)
    return folder


@pytest.fixture(scope="module")
def files(source: Path) -> set[str]:
    """Those of the program, as the copy has them before anything is built."""
    paths = (path for name in PACKAGES for path in (source / name).rglob("*") if path.is_file())
    return {path.relative_to(source).as_posix() for path in paths}


@pytest.fixture(scope="module")
def wheel(source: Path, files: set[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip("wheel", "--no-index", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, source)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel alone in it; its libraries are those of the tests."""
    folder = tmp_path_factory.mktemp("installed")
    pip("install", "--no-index", "--no-deps", "--target", folder, wheel)
    return folder


def run(installed: Path, empty: Path, *words: str, text: str = "") -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.defpath, "HOME": str(empty), "PYTHONPATH": str(installed), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, *words]
    return subprocess.run(
        command, cwd=empty, env=environment, input=text, capture_output=True, text=True, timeout=300, check=False
    )


def test_the_wheel_holds_every_file_of_the_program_and_nothing_else(wheel: Path, files: set[str]) -> None:
    with zipfile.ZipFile(wheel) as archive:
        held = set(archive.namelist())
    about = {name for name in held if name.startswith(f"tacocat_table-{__version__}.dist-info/")}
    assert held - about == {name for name in files if not name.startswith(PICTURES)}
    assert f"tacocat_table-{__version__}.dist-info/licenses/LICENSE" in about


def test_the_program_of_the_wheel_is_taken_and_not_that_of_the_checkout(installed: Path, tmp_path: Path) -> None:
    done = run(installed, tmp_path, "-c", "import engine, firmware, hardware; print(firmware.__file__)")
    assert done.stdout == f"{installed / 'firmware' / '__init__.py'}\n", done.stderr


def test_the_installed_command_tells_its_version(installed: Path, tmp_path: Path) -> None:
    done = run(installed, tmp_path, str(installed / "bin" / "tacocat"), "--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"tacocat {__version__}\n", "")


def test_the_installed_command_judges_a_game(installed: Path, tmp_path: Path) -> None:
    done = run(installed, tmp_path, str(installed / "bin" / "tacocat"), "replay", "-", "--json", text=GAME)
    assert done.returncode == 0, done.stderr
    assert [json.loads(line)["event"] for line in done.stdout.splitlines()] == ["yay ok", "wow ok", "yay 7b"]


def test_the_installed_command_checks_a_virtual_table_in_an_empty_folder(installed: Path, tmp_path: Path) -> None:
    """Fonts, catalogues and the Pico's program are needed for that."""
    done = run(installed, tmp_path, str(installed / "bin" / "tacocat"), "check", "--virtual", "--json")
    assert done.returncode == 0, done.stderr + done.stdout
    found = json.loads(done.stdout)
    assert found["version"] == __version__
    assert {"screen", "strip"} <= {row["part"] for row in found["rows"]}
    left = [path.relative_to(tmp_path).parts[0] for path in tmp_path.rglob("*")]
    assert {name for name in left if not name.startswith(".")} == set(), "an empty folder stays empty"
