"""What the virtual table's page may say, and what becomes of everything else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.virtual.messages import (
    MAX_MESSAGE_BYTES,
    Deal,
    Draw,
    Gather,
    LayPile,
    Message,
    Move,
    Plug,
    PressButton,
    Refusal,
    ReleaseButton,
    Sweep,
    TurnOver,
    parse,
)

CARDS = frozenset({"7a", "7b", "12a"})


@pytest.mark.parametrize(
    ("message", "meant"),
    [
        ({"do": "move", "card": "7b", "to": "pad-yay", "face_down": False}, Move("7b", "pad-yay", False)),
        ({"do": "move", "card": "ticket", "to": "aside", "face_down": True}, Move("ticket", "aside", True)),
        ({"do": "draw", "to": "hand-wow"}, Draw("hand-wow")),
        ({"do": "deal", "count": 7, "players": ["yay", "wow"], "over_pads": True}, Deal(7, ("yay", "wow"), True)),
        ({"do": "deal", "count": 1, "players": ["wow"], "over_pads": False}, Deal(1, ("wow",), False)),
        ({"do": "sweep"}, Sweep()),
        ({"do": "gather"}, Gather()),
        ({"do": "lay_pile", "pad": None}, LayPile(None)),
        ({"do": "lay_pile", "pad": "wow"}, LayPile("wow")),
        ({"do": "turn", "pad": "yay"}, TurnOver("yay")),
        ({"do": "press", "button": "yay"}, PressButton("yay")),
        ({"do": "press", "button": "yay", "at": None}, PressButton("yay")),
        ({"do": "press", "button": "yay", "at": 12.5}, PressButton("yay", 12.5)),
        ({"do": "release", "button": "wow", "at": 0}, ReleaseButton("wow", 0)),
        ({"do": "release", "button": "wow", "at": 1 << 53}, ReleaseButton("wow", 1 << 53)),
        ({"do": "release", "button": "wow"}, ReleaseButton("wow")),
        ({"do": "plug", "part": "pad yay", "plugged_in": False}, Plug("pad yay", False)),
    ],
)
def test_each_message_is_read_as_what_it_means(message: dict[str, Any], meant: Message) -> None:
    assert parse(json.dumps(message), CARDS) == meant
    assert parse(json.dumps(message).encode(), CARDS) == meant


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "this is not JSON"),
        ("{", "this is not JSON"),
        (b"\xff\xfe{}\x80", "this is not JSON"),
        ("[" * 500, "this is not JSON"),
        ('{"do": "sweep", "do": "gather"}', "with each key once"),
        ("[1, 2]", "found [1, 2]"),
        ("{}", "'do' is None; expected one of move"),
        ('{"do": ["move"]}', "'do' is ['move']"),
        ('{"do": "win"}', "'do' is 'win'"),
        ('{"do": "sweep", "now": 1}', "'sweep' takes the keys no others; found 'now'"),
        ('{"do": "draw"}', "'draw' takes the keys 'to'; found no others"),
        ('{"do": "draw", "to": "sleeve"}', "'to' of 'draw' is 'sleeve'; expected one of pile"),
        ('{"do": "draw", "to": null}', "'to' of 'draw' is None"),
        ('{"do": "move", "card": "13a", "to": "pile", "face_down": false}', "There is no card '13a'"),
        ('{"do": "move", "card": "../../etc", "to": "pile", "face_down": false}', "There is no card '../../etc'"),
        ('{"do": "move", "card": "7a", "to": "pile", "face_down": 0}', "expected true or false"),
        ('{"do": "deal", "count": 0, "players": ["yay"], "over_pads": true}', "from 1 to 19"),
        ('{"do": "deal", "count": true, "players": ["yay"], "over_pads": true}', "'count' of 'deal' is True"),
        ('{"do": "deal", "count": 1e3, "players": ["yay"], "over_pads": true}', "'count' of 'deal' is 1000.0"),
        ('{"do": "deal", "count": 7, "players": "yay", "over_pads": true}', "'players' of 'deal' is 'yay'"),
        ('{"do": "deal", "count": 7, "players": ["yay", "yay"], "over_pads": true}', 'expected ["yay"]'),
        ('{"do": "press", "button": "menu"}', "expected yay or wow"),
        *(
            (f'{{"do": "press", "button": "yay", "at": {at}}}', "expected milliseconds since the page was opened")
            for at in ("-1", "NaN", "Infinity", "9007199254740993", "true", '"12"', "[]")
        ),
        ('{"do": "press", "button": "\\ud800<b>"}', "'\\ud800<b>'"),
        ('"' + "x" * MAX_MESSAGE_BYTES + '"', f"at most {MAX_MESSAGE_BYTES} bytes; this one has 514"),
    ],
)
def test_what_is_not_understood_is_answered_in_words(text: str | bytes, words: str) -> None:
    answer = parse(text, CARDS)
    assert isinstance(answer, Refusal)
    assert words in answer.text
    assert answer.text.isascii() and len(answer.text) < 250


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12) | st.sampled_from(["yay", "7a"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
_names = st.sampled_from(["do", "to", "card", "face_down", "count", "players", "over_pads", "pad", "button"])
_kinds = st.sampled_from(["move", "draw", "deal", "sweep", "gather", "lay_pile", "turn", "press", "release"])


_objects = st.dictionaries(_names, _json | _kinds).map(json.dumps)


@given(st.one_of(st.binary(max_size=600), st.text(max_size=600), _objects))
@settings(max_examples=300, deadline=None)
def test_no_message_raises(text: str | bytes) -> None:
    answer = parse(text, CARDS)
    if isinstance(answer, Refusal):
        assert answer.text.isascii() and answer.text.endswith(".")


def test_a_message_has_512_bytes_at_most() -> None:
    sweep = '{"do": "sweep"}'
    assert parse(sweep.ljust(512), CARDS) == parse(sweep.ljust(512).encode(), CARDS) == Sweep()
    refused = Refusal("A message has at most 512 bytes; this one has 513.")
    assert parse(sweep.ljust(513), CARDS) == parse(sweep.ljust(513).encode(), CARDS) == refused


@pytest.mark.parametrize(("length", "told"), [(38, "'" + 38 * "x" + "'"), (39, "'" + 36 * "x" + "...")])
def test_what_was_found_is_told_in_40_characters_at_most(length: int, told: str) -> None:
    answer = parse(json.dumps(length * "x"), CARDS)
    assert answer == Refusal(f"A message is one JSON object; found {told}.")
