"""What is on the disk between two sessions: the deck, the settings, the transcripts of all games.

Here belongs how each of them is written and read. How any file is replaced, synced or set aside belongs in `files`.
"""
