"""Settings for all tests."""

import os

from hypothesis import HealthCheck, settings

# The same examples each time, however busy the machine is: a failure can be run again, and time is no verdict.
settings.register_profile(
    "table", deadline=None, derandomize=True, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
# For `make fuzz` (--hypothesis-profile=fuzz), which chooses a seed: that seed finds the same failure again.
settings.register_profile(
    "fuzz", settings.get_profile("table"), derandomize=False, database=None, print_blob=True,
    max_examples=int(os.environ.get("EXAMPLES", "2000")),
)  # fmt: skip
settings.load_profile("table")
