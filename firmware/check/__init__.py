"""`tacocat check`, and the same in the menu: each part in turn, what was found, and what to do about each fault."""
