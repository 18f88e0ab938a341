"""Photos of fills: stored as the phone sends them, shown to staff."""

import asyncio
from collections import defaultdict
from collections.abc import Collection
from io import BytesIO

from PIL import Image

from fuel_app.accounts.rules import Actor, Role
from fuel_app.customers.rules.photos import NoPhoto
from fuel_app.dispatch.queries import technician as queries
from fuel_app.dispatch.rules.technician import PhotoGone
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.ids import well_formed_id

PIXELS_MAX = 4_000_000  # phones send 1600 by 1600 at most; 2 KB can decode to 256 MB
_READABLE = ("JPEG", "PNG", "WEBP")


async def store(by: Actor, photo_id: object, file: bytes) -> None:
    """Store the file of a photo that an action of this technician has announced, once.

    Raises:
        NotAllowed
        PhotoGone: If there is no such action, or it is another technician's.
        NoPhoto: If the file is no picture.
    """
    by.require(Role.TECHNICIAN)
    await asyncio.to_thread(_kind_of, file)
    async with transaction() as session:
        row = await queries.photo(session, well_formed_id(photo_id) or "", lock=True)
        if row is None or row.person_id != by.person_id:
            raise PhotoGone
        row.file = row.file or file


async def read(by: Actor, photo_id: object) -> tuple[bytes, str]:
    """Return a photo with its media type, for staff.

    Raises:
        NotAllowed
        PhotoGone: If its file has not come, or is not kept any more.
    """
    by.require(Role.DISPATCHER)
    async with reading() as session:
        row = await queries.photo(session, well_formed_id(photo_id) or "")
    if row is None or row.file is None:
        raise PhotoGone
    return row.file, await asyncio.to_thread(_kind_of, row.file)


async def of_bookings(by: Actor, booking_ids: Collection[str]) -> dict[str, list[str]]:
    """Return the photos of each booking by their ids, the oldest first."""
    by.require(Role.DISPATCHER)
    found: defaultdict[str, list[str]] = defaultdict(list)
    async with reading() as session:
        for booking_id, photo_id in await queries.photo_ids(session, booking_ids):
            found[booking_id].append(photo_id)
    return {each: found[each] for each in booking_ids}


def _kind_of(file: bytes) -> str:
    """Return the media type of a picture by its content; it has to decode."""
    try:
        with Image.open(BytesIO(file), formats=_READABLE) as picture:
            if picture.width * picture.height > PIXELS_MAX:
                raise NoPhoto
            picture.load()
            return Image.MIME[picture.format or ""]
    except NoPhoto:
        raise
    except Exception as error:  # a broken file can fail its decoder in any way
        raise NoPhoto from error
