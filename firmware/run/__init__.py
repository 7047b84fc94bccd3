"""The session: opens everything, turns the loop until it is told to stop, closes everything.

Here belongs what lasts, waits, or is in a thread: the loop, the poller, signals, the service manager. What an event
does to the table belongs in `table`.
"""
