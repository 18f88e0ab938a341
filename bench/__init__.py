"""Benchmarks: see README.md."""

import os

QUICK = os.environ.get("BENCH") == "quick"  # smaller, to see whether a change does any good
