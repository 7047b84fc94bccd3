"""Files as they are on a disk: read, replaced whole or not at all, set aside, locked; and the rules for all of that.

Here belongs what is true of any file. What a file of ours holds (a deck, a setting, a transcript) belongs in
`kept`. The rules (docs/files.md says them to people):

* Owner and mode of what is replaced stay as they were; where they cannot stay, it is not replaced.
* What root makes belongs to the owner of the folder that it is made in.
* Only plain files are replaced. A pipe or a device that somebody names is written to; a disk, a socket or a folder
  is refused.
* A link is followed, and stays, if it belongs to whoever runs the program, or to root. One that leads nowhere, and
  one of somebody else, is refused. The lock follows none at all.
* What is faulty in itself is set aside. What cannot be read now (a disk that fails, a right that is missing) is said
  and left alone, and not replaced.
* What a person has written is overwritten only if that was asked for.
* A folder that cannot be synced is no fault of the disk; a file that cannot be synced is.
"""
