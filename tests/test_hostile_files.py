"""Files that mean ill, or are something else altogether: refused soon, in a few readable lines, and nothing is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware.config import ConfigError, load
from tests.limits import assert_readable, processor_s

CONFIGURATIONS = {
    "a key of thousands of parts": (b"a." * 30_000 + b"a = 1\n", "a line of 60005 characters"),
    "many keys of many parts": (b"".join(b"k%d." % n + b"a." * 490 + b"a = 1\n" for n in range(65)), "and 40 more"),
    "thousands of keys": (b"".join(b"key%d = 1\n" % n for n in range(5000)), "and 4975 more faults like these"),
    "a key that looks like a place": (b'"(at line 99999, column 1)" = 1\n' * 2, "line 2: found"),
    "a place that is no number": (b'["(at line ' + b"9" * 900 + b', column 1)"]\n' * 2, "line 2: found"),
    "a section that looks like a place": (b'["(at line 9, column 1)"]\n' * 2, "line 2: found"),
    "a key that is too long to be shown": (b"k" * 900 + b" = 1\n", "kkk\u2026"),
    "statements of many lines": (
        b"".join(b"x%d = [\n" % n + (b"1," * 100 + b"\n") * 150 + b"]\n" for n in range(2)), "x0: found an unknown key",
    ),
    "brackets": (b"x = " + b"[" * 900, "found"),
    "brackets on lines of their own": (b"x = [\n" + b"[\n" * 30_000, "nested far too deeply"),
    "orders to a terminal": (b'language = "\\u001b[2J\\u009b"\n', "u001b[2J"),
}  # fmt: skip


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_a_configuration_that_means_ill_is_refused(tmp_path: Path, name: str) -> None:
    data, words = CONFIGURATIONS[name]
    path = tmp_path / "table.toml"
    path.write_bytes(data)
    with processor_s(10), pytest.raises(ConfigError) as refusal:
        load(path)
    assert words in str(refusal.value)
    assert_readable(str(refusal.value))
