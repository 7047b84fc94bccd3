"""Opening the parts: which driver goes to which bus, chip select, pin and port, as the configuration says.

Here belongs what is the same for each way to open them, and the device's own way. Emulated parts belong in
`virtual`.
"""
