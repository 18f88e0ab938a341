"""Telling customers when their technician arrives, in the transaction of what has changed it."""

from datetime import date

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.dispatch.rules.day import RouteStop, TruckRoute


async def follow(session: AsyncSession, day: date) -> None:
    """Tell the customers of a published day whose arrival has moved, once for each move.

    Call it after every step of a technician and every change of a published route.
    """


async def on_the_way(session: AsyncSession, route: TruckRoute, stop: RouteStop) -> None:
    """Tell the customer that the technician drives to them.

    Args:
        stop: As it is after the step.
    """


async def arrived(session: AsyncSession, route: TruckRoute, stop: RouteStop) -> None:
    """Tell the customer that the technician is there.

    Args:
        stop: As it is after the step.
    """
