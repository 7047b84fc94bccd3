"""What docs/licences.md says of the licences of what is shipped, against the lock and the installed packages."""

import re
from importlib.metadata import PackageMetadata, metadata, version
from pathlib import Path

import pytest

from firmware import __version__
from tests.support.places import ROOT

ROW = re.compile(r"^\| ([a-z][a-z0-9.-]*) \| (\S+) \| .+ \|$", re.MULTILINE)
LOCKED = re.compile(r"^([A-Za-z0-9._-]+)==", re.MULTILINE)
# Names in a package's own words that are no SPDX identifiers.
SPDX = {
    "BSD": "BSD-3-Clause",
    "License :: OSI Approved :: GNU General Public License v3 (GPLv3)": "GPL-3.0",
    "License :: OSI Approved :: GNU Library or Lesser General Public License (LGPL)": "LGPL-3.0",
}
WRITTEN = dict(ROW.findall((ROOT / "docs" / "licences.md").read_text("utf-8").partition("| --- |")[2]))


def shipped() -> list[str]:
    """The libraries of the lock that go onto the device."""
    lock, line, _ = (ROOT / "requirements.txt").read_text("utf-8").partition("# ====")
    assert line
    return LOCKED.findall(lock)


def licence_of(package: PackageMetadata) -> str:
    said = package.get("License-Expression") or package.get("License") or "UNKNOWN"
    if said == "UNKNOWN":
        said = next(each for each in package.get_all("Classifier") or [] if each.startswith("License ::"))
    return SPDX.get(said, said)


def test_every_library_that_is_shipped_is_listed_and_nothing_else() -> None:
    assert sorted(WRITTEN) == sorted(shipped())


@pytest.mark.parametrize("name", shipped())
def test_the_licence_of_a_library_is_the_one_that_it_says_itself(name: str) -> None:
    assert WRITTEN[name] == licence_of(metadata(name))


def test_the_licence_of_the_program_is_that_of_its_text() -> None:
    text = (ROOT / "LICENSE").read_text("utf-8")
    assert text.split()[:7] == ["GNU", "GENERAL", "PUBLIC", "LICENSE", "Version", "3,", "29"]
    assert "How to Apply These Terms to Your New Programs" in text
    assert metadata("tacocat-table")["License-Expression"] == "GPL-3.0-or-later"


def test_the_version_of_the_package_is_the_one_that_the_program_tells() -> None:
    assert version("tacocat-table") == __version__
    assert not re.search('^version = "', Path(ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
