"""The program that the Pi boots: readings become events, events are judged, states become light and words."""

__version__ = "0.1.0"  # of the whole program; pyproject.toml takes it from here
