"""What is seen and heard of the table: page, strip, lamps, sounds, and games told in words. Pure.

Here belongs which words and lights a state has. Nothing here looks at a hidden hand. Where a word stands on the
screen, in which type, belongs in `screen`.
"""
