"""Emulated chips that sit under the bus, so that the real libraries run unchanged against them.

They are driven from the world's side (put a card down, lift it, press, unplug) and refuse what a chip
would not understand.
"""
