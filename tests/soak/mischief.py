"""What hands and children do besides playing: none of it is an event that nobody meant."""

from __future__ import annotations

from tests.soak.people import People


class Mischief(People):
    pass
