"""The soak test: whole games through the whole device, with faults and mischief at every seam at once."""
