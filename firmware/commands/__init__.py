"""The words of the command line, a module each: what `tacocat WORD` does once its options are read.

Here belongs what is printed and asked, and the exit status. The options themselves are in `cli`.
"""
