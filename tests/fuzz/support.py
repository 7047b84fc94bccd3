"""What the fuzzing shares: how many examples, garbage of every kind, and mutated files.

In `make test` each target sees a few examples, always the same. `make fuzz` gives each as many as asked for, from
another seed each time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

LONG_RUN = "fuzz"  # the profile of `make fuzz`, see tests/conftest.py


def examples(count: int) -> Callable[[Any], Any]:
    """A decorator: this many examples in the short run; in the long one as many as its profile says."""
    if settings.get_current_profile_name() == LONG_RUN:
        return settings()
    return settings(max_examples=count)


# Bytes that programs trip over: ends of lines and files, other digits and blanks, numbers beyond every size.
ODD = (
    b"",
    b"\0",
    b"\xef\xbb\xbf",
    b"\r",
    b"\r\n",
    b"\n",
    b"\n\n",
    b"\t",
    b"\x0b",
    b"\x0c",
    b"\x1c",
    b"\x1b[2J",
    b"\x7f",
    b"\xff",
    b"\xc3",
    b"\xed\xa0\x80",
    b"\xc0\x80",
    "\u2028".encode(),
    "\x85".encode(),
    "\xa0".encode(),
    "é".encode(),
    "\u202e".encode(),
    "٣".encode(),
    "①".encode(),
    "😀".encode(),
    "ﬁ".encode(),
    b"-",
    b"-1",
    b"0",
    b"00",
    b"1",
    b"7",
    b"+1",
    b"1_0",
    b"0x3C",
    b"1e9",
    b"1e400",
    b"nan",
    b"inf",
    b"300",
    b"65536",
    b"9" * 30,
    b"9" * 5000,
    b"true",
    b"none",
    b"1979-05-27",
    b'"',
    b"'",
    b'"""',
    b"[",
    b"]",
    b"{",
    b"}",
    b"[" * 600,
    b"{" * 600,
    b"=",
    b".",
    b"a." * 300,
    b"#",
    b",",
    b":",
    b" ",
    b"x" * 3000,
    b"\\",
    b"\\u0000",
    b"\\ud800",
    b"%s",
    b"../../etc/passwd",
    b"$(reboot)",
)


@st.composite
def mutated(draw: st.DrawFn, texts: tuple[bytes, ...], words: tuple[bytes, ...], most: int = 5) -> bytes:
    """One of `texts` with some lines dropped, doubled, moved or cut, and odd bytes or `words` in their places."""
    data = draw(st.sampled_from(texts))
    piece = st.sampled_from(words) | st.sampled_from(ODD) | st.binary(max_size=6)
    for _ in range(draw(st.integers(0, most))):
        lines = data.split(b"\n")
        at, to = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
        match draw(st.sampled_from(("drop", "double", "move", "replace", "word", "insert", "cut", "flip", "repeat"))):
            case "drop":
                del lines[at]
            case "double":
                lines.insert(to, lines[at])
            case "move":
                lines.insert(to, lines.pop(at))
            case "replace":
                lines[at] = draw(piece)
            case "word":
                parts = lines[at].split(b" ")
                parts[draw(st.integers(0, len(parts) - 1))] = draw(piece)
                lines[at] = b" ".join(parts)
            case "insert":
                place = draw(st.integers(0, len(lines[at])))
                lines[at] = lines[at][:place] + draw(piece) + lines[at][place:]
            case "cut":
                return data[: draw(st.integers(0, len(data)))]
            case "flip" if data:
                place = draw(st.integers(0, len(data) - 1))
                data = data[:place] + bytes((data[place] ^ draw(st.integers(1, 255)),)) + data[place + 1 :]
                continue
            case "repeat":
                lines[at] = lines[at] * draw(st.sampled_from((2, 30, 300)))
        data = b"\n".join(lines)
    return data
