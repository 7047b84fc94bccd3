"""Every system call of the disk's path fails once, or waits, in whole runs of the real program: `make diskfaults`."""
