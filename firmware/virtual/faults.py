"""How the virtual table tells of its own faults: in one line each, and what repeats once a minute."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator

from firmware.errors import OnceAMinute

LOG = logging.getLogger("tacocat.page")
LOG.addFilter(OnceAMinute())
# of the library: what it says of each visit is of no interest, what it did not expect is
LIBRARY_LOG = logging.getLogger("tacocat.page.connections")
LIBRARY_LOG.setLevel(logging.ERROR)
LIBRARY_LOG.addFilter(OnceAMinute())


@contextlib.contextmanager
def survived(what: str) -> Iterator[None]:
    """Tell of an exception inside, and go on: one fault takes nothing else with it."""
    try:
        yield
    except Exception:
        LOG.exception("The virtual table could not %s", what)
