"""What lies on the table: one module a device, each a thin driver over its library. It knows no game."""
