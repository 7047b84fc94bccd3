"""What happens at the table. Pure: `step(table, event)` gives the next table and the effects that are asked for.

Here belongs what cards, presses and the time do to a game. What is seen or heard of it belongs in `views`; whoever
performs an effect is in `run`.
"""
