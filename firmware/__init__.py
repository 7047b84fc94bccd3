"""The program that the Pi boots: readings become events, events are judged, states become light and words."""
