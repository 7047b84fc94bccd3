"""Fuzzing the configuration: any bytes, and the example of table.toml mutated."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware.config.reading import load
from firmware.config.table_toml import EXAMPLE, filled_in, values_of
from firmware.config.values import Config, ConfigError
from tests.fuzz.support import examples, mutated
from tests.support.limits import assert_readable, processor_s

TEXT = EXAMPLE.read_bytes()
SHORT = b"\n".join(line for line in TEXT.split(b"\n") if line and not line.startswith(b"#")) + b"\n"
KEYS = tuple(key.encode() for key in values_of(Config()))
WORDS = (
    *KEYS,
    *(key.rpartition(b".")[2] for key in KEYS),
    b"[pads.yay]",
    b"[[pads]]",
    b"[pads.wow.more]",
    b"rules = 1",
    b"brightness = true",
    b"leds = 64",
    b"space_leds = [8, 8, 8, 8, 8, 8, 8]",
    b"space_leds = {a = 1}",
    b'"yay"',
    b"[]",
    b"{}",
    b'"1x1"',
    b'deck = "1x26 2x26 12x26"',
    b'board = "2 2 2 2 2 2 2"',
    b'"none"',
    b"false",
    b"0.5",
    b"'''",
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz") / "table.toml"


def judge(path: Path, data: bytes) -> None:
    """What is accepted comes back the same from its own text; what is not is told in words, each with its place."""
    path.write_bytes(data)
    try:
        with processor_s(20):
            config = load(path)
    except ConfigError as error:
        assert_readable(str(error))
        assert error.faults
        for fault in error.faults:
            assert fault.found and fault.allowed
            assert fault.line is None or 1 <= fault.line <= data.count(b"\n") + 1
            assert fault.line is not None or fault.key or "more than" in fault.found or "no way" in fault.found, fault
        return
    path.write_text(filled_in(config, TEXT.decode()), encoding="utf-8")
    assert load(path) == config


@examples(60)
@given(data=st.binary(max_size=400) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")))
def test_no_bytes_are_more_than_a_refusal(path: Path, data: bytes) -> None:
    judge(path, data)


@examples(250)
@given(data=mutated((TEXT, SHORT), WORDS))
def test_a_mutated_example_is_a_configuration_or_refused_in_words(path: Path, data: bytes) -> None:
    judge(path, data)
