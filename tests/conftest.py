"""Settings for all tests."""

from hypothesis import HealthCheck, settings

# The same examples each time, however busy the machine is: a failure can be run again, and time is no verdict.
settings.register_profile(
    "table", deadline=None, derandomize=True, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("table")
