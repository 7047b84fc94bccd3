"""The words that the players read: one catalogue a language."""
