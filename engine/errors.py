"""The exceptions of the engine: a programmer's or a file's fault, never a player's (a refused event is a verdict)."""


class EngineError(Exception):
    """The base class of all errors that the engine raises."""


class ParseError(EngineError, ValueError):
    """A text is not what it should be; the message holds the text and what was expected."""


class RulesError(EngineError, ValueError):
    """A deck and a board that cannot be played with each other."""
