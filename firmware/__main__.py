"""The program's first lines, for `tacocat` and `python -P -m firmware`: they see to it that an early Ctrl-C is quiet.

All that takes time is imported after that. What Python does before it is not in the hands of any program.
"""

import signal
import sys


def main() -> int:
    """Returns the exit status, as `cli.main` does."""
    try:
        # Nothing is open yet: Ctrl-C ends the process as SIGTERM and SIGHUP do, without a word, until `cli` catches it.
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
        from firmware import cli

        return cli.main()
    except KeyboardInterrupt:  # it came before the line above, and was told after it
        return 128 + signal.SIGINT


if __name__ == "__main__":
    sys.exit(main())
