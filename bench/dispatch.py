"""Dispatch: planning a day."""

from bench import dispatch_planning
from bench.report import Figure, show


def measure() -> list[Figure]:
    return dispatch_planning.measure()


if __name__ == "__main__":
    show(measure())
