"""The root of the firmware's own exceptions."""


class FirmwareError(Exception):
    """The root of all errors that the firmware raises on its own account."""
