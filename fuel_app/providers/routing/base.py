"""What a routing provider is, and the two ways in which one can fail."""

from collections.abc import Sequence
from typing import Protocol

from fuel_app.domain.routing import Drive, Matrix, Point


class Routing(Protocol):
    async def matrix(self, points: Sequence[Point]) -> Matrix:
        """Driving seconds from each point to each, `inf` where no road leads.

        Raises:
            Unavailable: If there is no answer.
        """
        ...

    async def drive(self, points: Sequence[Point]) -> Drive:
        """Drive through the points in this order.

        Raises:
            RouteFailed: If the answer is that there is no such route.
            Unavailable: If there is no answer.
        """
        ...

    async def shortest(self, points: Sequence[Point]) -> Drive | None:
        """Drive from the first point to the last, the others in the provider's own best order.

        Returns:
            A drive with its `order`, or None from a provider that does not order points.

        Raises:
            RouteFailed: If the answer is that there is no such route.
            Unavailable: If there is no answer.
        """
        ...


class Unavailable(Exception):  # noqa: N818 (a state of somebody else's, said as such)
    """A provider gave no answer that can be used. `status` is in the provider's own words.

    Args:
        passing: Whether the same question may be answered in a moment.
    """

    def __init__(self, status: str, *, passing: bool) -> None:
        super().__init__(status)
        self.status = status
        self.passing = passing
