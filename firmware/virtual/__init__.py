"""The virtual table: a page in the browser over the twins.

Here belongs what stands in for hands, eyes and things: cards and piles, the page, its server. It knows no rules of
the game; the emulated chips themselves are in `hardware.twins`.
"""
