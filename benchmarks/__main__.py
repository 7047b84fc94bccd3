"""Run every `benchmarks.bench_*` in turn: `python -m benchmarks [SUBJECT ...]`; without a subject, all of them."""

from __future__ import annotations

import importlib
import pkgutil
import platform
import sys

import benchmarks


def subjects() -> list[str]:
    """The subjects that can be measured, in order of their names."""
    names = (module.name for module in pkgutil.iter_modules(benchmarks.__path__))
    return sorted(name.removeprefix("bench_") for name in names if name.startswith("bench_"))


def main(chosen: list[str]) -> int:
    known = subjects()
    unknown = [name for name in chosen if name not in known]
    if unknown:
        print(f"nothing to measure under {', '.join(unknown)}; there is: {', '.join(known)}", file=sys.stderr)
        return 2
    print(f"Python {platform.python_version()} on {platform.machine()}, {platform.system()}")
    for name in chosen or known:
        print(f"\n## {name}", flush=True)
        importlib.import_module(f"benchmarks.bench_{name}").main()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
