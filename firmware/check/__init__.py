"""The check: each part in turn, what was found, and what to do about each fault.

Here belongs how a part or the machine is looked at, and the words for it. `tacocat check` itself is in `commands`;
a part that is opened or lost during play belongs in `run`.
"""
