"""Frames of the link to the strip: COBS between zero bytes, a CRC-32 over everything.

One file for both ends: it runs under CPython on the Pi and under MicroPython on the Pico (where it lies beside the
program under the same name). docs/protocol.md describes the bytes; the numbers of the messages are here.

On the wire a frame is `00 COBS(body) 00`; the zero in front ends whatever junk came before. The body is

    kind (1 byte), sequence number (1 byte), payload (0 to MAX_PAYLOAD bytes),
    CRC-32 of all before (4 bytes, little end first)

COBS: Cheshire and Baker, "Consistent Overhead Byte Stuffing", 1999. CRC-32: that of `binascii`, in C on both sides.
"""

import binascii

TYPE_CHECKING = False  # MicroPython has no typing
if TYPE_CHECKING:
    import micropython
    from micropython import ptr8  # a word of the viper compiler
else:
    try:
        import micropython
    except ImportError:  # CPython: the same code, uncompiled

        class micropython:
            @staticmethod
            def viper(function):
                return function

        def ptr8(buffer):
            return buffer


VERSION = 1  # of the messages below; the hello and the restart into the prompt are the same in every version
NAME = b"tacocat strip"

# What the host says. Letters, so that a hello is plain text to any other device.
HELLO = 0x48  # "H"
SETUP = 0x53  # "S"
SHOW = 0x44  # "D": draw this picture
READ = 0x52  # "R": what is lit?
PING = 0x50  # "P"
NIGHT = 0x4E  # "N": go dark
PROMPT = 0x58  # "X": restart into the prompt, without the watchdog
# What the strip answers: the same kind with this bit set, or ERROR; the sequence number is that of the question.
ANSWER = 0x80
ERROR = 0xFF

# Payload of ERROR: one of these numbers, then the kind it is about. docs/protocol.md has the table.
E_UNKNOWN_KIND = 1
E_MALFORMED = 2
E_NOT_SET_UP = 3
E_LEDS = 4
E_COLOUR_ORDER = 5
E_BUDGET = 6
E_STALE = 7
E_OTHER_LEDS = 8
E_BEYOND_STRIP = 9
E_TOO_MANY = 10
E_TIMING = 11

MAX_LEDS = 300
MAX_EFFECTS = 16
MAX_STOPS = 64  # of all glides of a picture together
EFFECT_BYTES = 14  # and 4 for each stop of a glide
MAX_PAYLOAD = 1500
OVERHEAD = 6  # kind, sequence number, CRC
MAX_FRAME = MAX_PAYLOAD + OVERHEAD + 8  # stuffed, without the zeros around it

# The CRC-32 of any bytes followed by their own CRC-32 (little end first); it fits a small int of MicroPython.
_RESIDUE = 0x2144DF1C

# The hello is one fixed text: whatever port it reaches, it holds no control character but the zeros around it (a
# byte 3 would stop a MicroPython that is just starting, a byte 1 or 4 would reach into its prompt).
HELLO_SEQ = 0x2E
HELLO_PAYLOAD = b"tacocat table: who is there? .,,"


@micropython.viper
def stuff(src: object, n: int, dst: object) -> int:
    """COBS: write the first `n` bytes of `src` to `dst` without zeros and return how many bytes that makes.

    `dst` must have room for n + n // 254 + 1 bytes.
    """
    p = ptr8(src)
    q = ptr8(dst)
    code_at = 0
    o = 1
    code = 1
    i = 0
    while i < n:
        b = p[i]
        i += 1
        if b != 0:
            q[o] = b
            o += 1
            code += 1
        if b == 0 or (code == 255 and i < n):
            q[code_at] = code
            code_at = o
            o += 1
            code = 1
    q[code_at] = code
    return o


@micropython.viper
def unstuff(buf: object, n: int) -> int:
    """Undo COBS in place in the first `n` bytes of `buf`, none of them zero; return the new length.

    -1 if they are not COBS: the last block would go on beyond them.
    """
    p = ptr8(buf)
    i = 0
    o = 0
    while i < n:
        code = p[i]
        i += 1
        end = i + code - 1
        if end > n:
            return -1
        while i < end:
            p[o] = p[i]
            o += 1
            i += 1
        if code != 255 and i < n:
            p[o] = 0
            o += 1
    return o


def encode(kind: int, seq: int, payload: bytes | bytearray = b"") -> bytes:
    """One whole frame as bytes, with its zeros. Raises ValueError if the payload is too long."""
    if len(payload) > MAX_PAYLOAD:
        raise ValueError("a payload of %d bytes; a frame holds at most %d" % (len(payload), MAX_PAYLOAD))  # noqa: UP031
    body = bytearray((kind, seq))
    body.extend(payload)
    crc = binascii.crc32(body)
    for shift in (0, 8, 16, 24):
        body.append((crc >> shift) & 0xFF)
    out = bytearray(len(body) + len(body) // 254 + 1)
    stuffed = stuff(body, len(body), out)
    return b"\x00" + bytes(out[:stuffed]) + b"\x00"


class Parser:
    """Finds frames in any bytes, in any portions.

    `feed` does everything. A reader that is short of time puts the bytes between two zeros into `buf` itself, their
    number into `used` (MAX_FRAME + 1: too many), and calls `finish`.
    """

    def __init__(self) -> None:
        self.buf = bytearray(MAX_FRAME)
        self.used = 0
        self.damaged = 0  # frames thrown away since the start, counted up to 65535
        self._view = memoryview(self.buf)

    def finish(self) -> int:
        """Judge the `used` bytes in `buf`; return the payload's length, or -1 if they are no frame.

        Then buf[0] is the kind, buf[1] the sequence number, and the payload begins at buf[2].
        """
        used = self.used
        self.used = 0
        if used == 0:
            return -1
        length = unstuff(self.buf, used) if used <= MAX_FRAME else -1
        if length < OVERHEAD or binascii.crc32(self._view[:length]) != _RESIDUE:
            if self.damaged < 65535:
                self.damaged += 1
            return -1
        return length - OVERHEAD

    def feed(self, data: bytes) -> list[tuple[int, int, bytes]]:
        """Take some bytes; return the frames that they complete: a list of (kind, seq, payload)."""
        frames = []
        for byte in data:
            if byte:
                if self.used < MAX_FRAME:
                    self.buf[self.used] = byte
                    self.used += 1
                else:
                    self.used = MAX_FRAME + 1
            else:
                n = self.finish()
                if n >= 0:
                    frames.append((self.buf[0], self.buf[1], bytes(self.buf[2 : 2 + n])))
        return frames
