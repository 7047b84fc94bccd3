"""What the owner wrote: `table.toml`, read, checked as a whole, and given as one frozen value.

Here belongs each key: its name, default, limits and the words for what is wrong with it. What is changed on the
device itself belongs in `kept`.
"""
