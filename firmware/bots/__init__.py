"""Those who play for a table, as processes of their own, told and asked in lines of text (docs/bots.md).

Here belongs the protocol from both ends: a bot's (`tacocat bot`), and the host's, which judges what comes, waits for
nobody, and ends each process with all that it has started. What the table does with an answer belongs in `table`.
"""
