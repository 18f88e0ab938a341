"""Publishing a day: technicians see its routes, and its bookings are dispatched."""

from collections.abc import Mapping

from fuel_app.accounts.rules import Actor


async def publish(by: Actor, day: object, seen: Mapping[str, int]) -> int:
    """Publish a day. A second press changes nothing.

    Args:
        day: A date, or its text.
        seen: The revisions of all routes of the day on the screen.

    Returns:
        How many bookings are dispatched by it.
    """
    raise NotImplementedError
