"""Files as they are on a disk: replaced whole or not at all, set aside, locked.

Here belongs what is true of any file. What a file of ours holds (a deck, a setting, a transcript) belongs in
`kept`.
"""
