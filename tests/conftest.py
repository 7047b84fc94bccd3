"""Settings for all tests."""

import os

import pytest
from hypothesis import HealthCheck, settings

from tests.support.inherited import set_what_is_inherited

set_what_is_inherited()

# The same examples each time, however busy the machine is: a failure can be run again, and time is no verdict.
settings.register_profile(
    "table", deadline=None, derandomize=True, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
# For `make fuzz` (--hypothesis-profile=fuzz), which chooses a seed: that seed finds the same failure again.
settings.register_profile(
    "fuzz",
    settings.get_profile("table"),
    derandomize=False,
    database=None,
    print_blob=True,
    max_examples=int(os.environ.get("EXAMPLES", "2000")),
)
settings.load_profile("table")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--real", action="store_true", help="what test_contract.py promises, on the device too")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that asks for a `backend` runs on the twins; on the device only where there is one."""
    if "backend" in metafunc.fixturenames:
        metafunc.parametrize("backend", ["twins", "device"] if metafunc.config.getoption("--real") else ["twins"])
