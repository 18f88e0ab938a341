"""Dispatch: planning a day, the board with 50 trucks, expected times."""

from bench import dispatch_board, dispatch_eta, dispatch_planning
from bench.report import Figure, show


def measure() -> list[Figure]:
    return [
        *dispatch_planning.measure(),
        *dispatch_board.measure(),
        *dispatch_eta.measure(),
    ]


if __name__ == "__main__":
    show(measure())
