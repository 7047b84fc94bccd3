"""Attacks on the virtual table: `python -m tests.support.hostile PORT ATTACK`, a process of its own.

It prints "on" once its attack is under way, keeps it up until its input ends, and then prints what became of it.
"""

from __future__ import annotations

import base64
import contextlib
import itertools
import os
import resource
import select
import socket
import sys
import threading
from collections.abc import Callable, Iterator

MANY = 2500
BLANKS = b"X:" + b" " * 1500 + b"\x01"
STRANGE = (
    b"[" * 512,
    b'{"do":' * 80,
    b'{"do": NaN}',
    b'{"do": 1e999}',
    b'{"do": "\\ud800"}',
    b'"' + b"x" * 510 + b'"',
    b"9" * 512,
    b'{"do": "deal", "count": ' + b"9" * 400 + b', "players": ["yay"], "over_pads": true}',
    b'{"do": "move", "card": "\\u0000\\u001b[2J", "to": "pile", "face_down": false}',
    b"\xef\xbb\xbf{}",
    b"",
    b"null",
)


def connect(port: int) -> socket.socket:
    sock = socket.create_connection(("127.0.0.1", port), timeout=10)
    sock.settimeout(0.02)
    return sock


def get(port: int, *headers: bytes, path: bytes = b"/", method: bytes = b"GET") -> bytes:
    own = b"127.0.0.1:%d" % port
    return b"\r\n".join([b"%b %b HTTP/1.1" % (method, path), b"Host: " + own, *headers, b"", b""])


def handshake(port: int) -> bytes:
    own = b"127.0.0.1:%d" % port
    key = base64.b64encode(os.urandom(16))
    return get(
        port,
        b"Origin: http://" + own,
        b"Connection: Upgrade",
        b"Upgrade: websocket",
        b"Sec-WebSocket-Version: 13",
        b"Sec-WebSocket-Key: " + key,
        path=b"/table",
    )


def frame(first: int, payload: bytes) -> bytes:
    """A masked frame (of zeros, so that the payload is readable in a trace)."""
    size = len(payload)
    length = bytes((0x80 | size,)) if size < 126 else b"\xfe" + size.to_bytes(2, "big")
    return bytes((first,)) + length + bytes(4) + payload


def pour(port: int, first: bytes, more: Iterator[bytes], reads: bool = True) -> Iterator[None]:
    """Say `first`, then one after the other of `more`; connect anew when it is cut off. Each turn is one sending."""
    while True:
        with contextlib.suppress(OSError), connect(port) as sock:
            sock.sendall(first)
            for data in more:
                with contextlib.suppress(TimeoutError):  # it takes no more just now
                    sock.sendall(data)
                if reads and select.select([sock], [], [], 0)[0] and not sock.recv(65536):
                    break
                yield
        yield


def hold(port: int, first: bytes) -> Iterator[None]:
    """Connect, say `first` and nothing more; read nothing. Connect anew when it is cut off."""
    while True:
        with contextlib.suppress(OSError), connect(port) as sock:
            sock.sendall(first)
            while not select.select([sock], [], [], 0.05)[0]:
                yield
        yield


def silent_reader(port: int, first: bytes) -> Iterator[None]:
    """Somebody with the smallest buffer that there is, who says `first` and never reads."""
    with socket.socket() as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        sock.connect(("127.0.0.1", port))
        sock.sendall(first)
        while True:
            select.select([], [], [], 0.05)
            yield


def crowd(port: int) -> Iterator[None]:
    """MANY connections at once, each held until the end, whether it is taken in or not."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MANY + 100
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted if most == resource.RLIM_INFINITY else min(wanted, most), most))
    socks = []
    for _ in range(min(MANY, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 50)):
        sock = socket.socket()
        sock.setblocking(False)
        sock.connect_ex(("127.0.0.1", port))
        socks.append(sock)
    while True:
        select.select([], [], [], 0.05)
        yield


def passing(port: int, request: bytes) -> Iterator[None]:
    """One short visit after the other."""
    while True:
        with contextlib.suppress(OSError), connect(port) as sock:
            sock.sendall(request)
            while sock.recv(65536):
                pass
        yield


def attacks(port: int) -> dict[str, Callable[[], list[Iterator[None]]]]:
    """What each attack is made of: endless turns, each for a thread of its own."""
    seat, forever = handshake(port), itertools.repeat
    return {
        "nothing said": lambda: [hold(port, b"") for _ in range(90)],
        "a head in drops": lambda: [pour(port, b"GET / HTTP/1.1\r\n", forever(b"a")) for _ in range(20)],
        "a head without end": lambda: [pour(port, b"GET / HTTP/1.1\r\n", forever(b"X: y\r\n" * 500))],
        "headers of blanks": lambda: [hold(port, get(port, BLANKS))],
        "a huge body": lambda: [
            pour(port, get(port, b"Content-Length: 99999999999", method=b"POST"), forever(bytes(60000)))
        ],
        "a body in chunks": lambda: [
            pour(port, get(port, b"Transfer-Encoding: chunked", method=b"POST"), forever(b"1\r\nx\r\n" * 1000))
        ],
        "two requests in one": lambda: [
            passing(port, get(port, b"Content-Length: 0") + get(port, path=b"/table", method=b"POST"))
        ],
        "posts of another origin": lambda: [
            passing(port, get(port, b"Origin: http://evil.example", method=method)) for method in (b"POST", b"GET")
        ],
        "the start of TLS": lambda: [passing(port, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + os.urandom(500))],
        "a message without end": lambda: [pour(port, seat + frame(0x01, b"{"), forever(frame(0x00, b" " * 500)))],
        "a message of 2^63 bytes": lambda: [
            pour(port, seat + b"\x81\xff\x7f" + b"\xff" * 7 + bytes(4), forever(bytes(60000)))
        ],
        "half a message": lambda: [hold(port, seat + b"\x81\xfe\x01\x00" + bytes(4) + b'{"do":') for _ in range(20)],
        "pings": lambda: [pour(port, seat, forever(frame(0x89, b"x" * 125) * 50)) for _ in range(3)],
        "pings, and the answers not read": lambda: [
            pour(port, seat, forever(frame(0x89, b"x" * 125) * 50), reads=False) for _ in range(3)
        ],
        "strange messages": lambda: [
            pour(port, seat, itertools.cycle([frame(0x81, text) for text in STRANGE])) for _ in range(3)
        ],
        "windows that never read": lambda: [silent_reader(port, seat) for _ in range(20)],
        "files that nobody takes": lambda: [silent_reader(port, get(port, path=b"/table.css")) for _ in range(90)],
        "windows that come and go": lambda: [passing(port, seat + frame(0x88, b"")) for _ in range(4)],
        "a crowd": lambda: [crowd(port)],
    }


def keep_up(turns: Iterator[None], begun: threading.Barrier, over: threading.Event) -> None:
    next(turns)
    begun.wait()
    while not over.wait(0.001):
        next(turns)


def main() -> None:
    port, name = int(sys.argv[1]), sys.argv[2]
    attackers = attacks(port)[name]()
    begun, over = threading.Barrier(len(attackers) + 1), threading.Event()
    for turns in attackers:
        threading.Thread(target=keep_up, args=(turns, begun, over), daemon=True).start()
    begun.wait()
    print("on", flush=True)
    sys.stdin.read()
    over.set()


if __name__ == "__main__":
    main()
