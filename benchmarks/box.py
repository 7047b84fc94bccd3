"""The device's program as the service starts it, on buses that cost nothing: `python -m benchmarks.box STATE PORT`.

STATE: its folder; PORT: where the strip is found. It prints "shown" and the monotonic time when the screen has got its
first picture, and runs until it is told to end. No emulated chip is loaded here: memory and time are the device's.
"""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

from benchmarks.buses import SlowBus, install
from firmware import cli


def main(state: Path, port: str) -> int:
    """`tacocat run`, with a configuration of its own."""
    bus = SlowBus()
    install(bus, port)
    threading.Thread(target=_say_when_shown, args=(bus,), daemon=True).start()
    nothing = state / "table.toml"
    nothing.touch()
    return cli.main(["run", "--device", "--quiet", "--state", str(state), "--config", str(nothing)])


def _say_when_shown(bus: SlowBus) -> None:
    bus.first.wait()
    print(f"shown {time.monotonic()}", flush=True)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2]))
