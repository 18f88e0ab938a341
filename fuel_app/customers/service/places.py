"""A customer's saved addresses, and where they are on the map."""

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.areas.rules.positions import Located
from fuel_app.customers.rules.places import OwnPlace, PlaceForm


async def of_person(session: AsyncSession, person_id: str) -> tuple[OwnPlace, ...]:
    """Return a person's addresses: the default, then oldest first."""
    raise NotImplementedError


async def find(session: AsyncSession, person_id: str, place_id: object) -> OwnPlace | None:
    """Return one of a person's addresses; None for an id that is not theirs."""
    raise NotImplementedError


async def listing(person_id: str) -> tuple[OwnPlace, ...]:
    """Return a person's addresses, in a transaction of its own."""
    raise NotImplementedError


async def check(form: PlaceForm) -> None:
    """Refuse a place that we do not fill at.

    Raises:
        NotDelivered: If its ZIP lies in no open area.
        InvalidForm: If it is a street, and the area allows none.
    """
    raise NotImplementedError


async def locate(form: PlaceForm, *, by: str) -> Located:
    """Geocode a place, outside any transaction; the ZIP's centre if it is not found.

    Args:
        form: The place.
        by: The person's id or a visitor's network address, for the rate limit.

    Raises:
        UnknownZip
    """
    raise NotImplementedError


async def pinned(zip_code: str, lat: object, lng: object) -> Located:
    """Return a pin that a browser has set.

    Raises:
        PinTooFar: If it lies too far from its ZIP, or is no position.
        UnknownZip
    """
    raise NotImplementedError


async def save(
    person_id: str, form: PlaceForm, place_id: str = "", pin: Located | None = None
) -> OwnPlace:
    """Save a place: a new one, or in place of the one with this id. Geocode it without a pin.

    Raises:
        NotDelivered, InvalidForm: As `check` says.
        UnknownZip
        TooManyPlaces
        AccountGone
    """
    raise NotImplementedError
