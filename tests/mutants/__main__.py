"""`make mutants`: see runner.py."""

import sys

from tests.mutants.runner import main

sys.exit(main(sys.argv[1:]))
