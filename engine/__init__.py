"""What is legal: the rules of the game. Pure: no clock, no chance, no files, no pins, no language."""
