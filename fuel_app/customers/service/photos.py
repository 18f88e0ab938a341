"""Photo processing: scaled down, upright, without metadata."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from io import BytesIO
from itertools import product, starmap

from PIL import Image, ImageOps

from fuel_app.customers.rules.photos import KEPT_MAX, PIXELS_MAX, NoPhoto, as_address
from fuel_app.kit.throttle import PHOTOS, throttle

_READABLE = ("JPEG", "PNG", "WEBP")
_SIDES = (960, 720, 480, 240)  # pixels, the longer side; pure noise of 240 still fits
_QUALITIES = (80, 65, 50)
_WHITE = "#FFFFFF"
# Decoding a large photo takes 200 MB, so one at a time.
_darkroom = ThreadPoolExecutor(1, thread_name_prefix="photos")


async def admit(address: str) -> None:
    """Apply the rate limit of a network address, 60 photos in an hour, before one is read."""
    await throttle().spend(PHOTOS, address)


async def develop(file: bytes) -> str:
    """Return a photo as a `data:` address of at most `KEPT_MAX` characters.

    Raises:
        NoPhoto: If it is no photo, or exceeds `PIXELS_MAX`.
    """
    return await asyncio.get_running_loop().run_in_executor(_darkroom, _developed, file)


def _developed(file: bytes) -> str:
    """Return the largest, best version that is short enough to keep."""
    prints = starmap(partial(_printed, _opened(file)), product(_SIDES, _QUALITIES))
    return next(address for address in prints if len(address) <= KEPT_MAX)


def _printed(picture: Image.Image, side: int, quality: int) -> str:
    picture.thumbnail((side, side), Image.Resampling.LANCZOS)
    small = BytesIO()
    picture.save(small, "WEBP", quality=quality)
    return as_address(small.getvalue())


def _opened(file: bytes) -> Image.Image:
    """Decode the pixels and apply the camera's orientation."""
    try:
        with Image.open(BytesIO(file), formats=_READABLE) as source:
            if source.width * source.height > PIXELS_MAX:
                raise NoPhoto
            source.draft("RGB", (2 * _SIDES[0], 2 * _SIDES[0]))  # a JPEG is read no larger
            upright = ImageOps.exif_transpose(source)
            upright.thumbnail((_SIDES[0], _SIDES[0]), Image.Resampling.LANCZOS)
            return _on_white(upright)
    except NoPhoto:
        raise
    except Exception as error:  # a broken file can fail its decoder in any way
        raise NoPhoto from error


def _on_white(picture: Image.Image) -> Image.Image:
    """Replace transparency by white and drop metadata."""
    layer = picture.convert("RGBA")
    paper = Image.new("RGB", layer.size, _WHITE)
    paper.paste(layer, mask=layer)
    return paper
