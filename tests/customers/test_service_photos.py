"""A photo made small: upright, without what else the file says, and never too large to keep."""

import base64
from contextlib import suppress
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from fuel_app.customers.rules.vehicles import NoPhoto, check_photo
from fuel_app.customers.service import vehicles
from tests.pictures import BLUE, PLACE, RED, as_file, from_a_phone, two_colors

pytestmark = pytest.mark.slow


async def developed(file: bytes) -> Image.Image:
    address = await vehicles.convert_photo(file)
    assert check_photo(address) == address
    return Image.open(BytesIO(base64.b64decode(address.partition(",")[2])))


def looks_like(found: Any, color: tuple[int, ...]) -> bool:
    return all(abs(a - b) < 40 for a, b in zip(found, color, strict=True))


@pytest.mark.parametrize(
    ("kind", "mode"),
    [("WEBP", "RGB"), *(("PNG", mode) for mode in "LP1"), ("JPEG", "CMYK"), ("JPEG", "RGB")],
)
async def test_the_usual_kinds_and_color_modes_are_read(kind, mode):
    photo = await developed(as_file(two_colors().convert(mode), kind))
    assert (photo.size, photo.mode) == ((400, 200), "RGB")
    assert mode in "L1" or looks_like(photo.getpixel((50, 100)), RED)


@pytest.mark.parametrize(
    ("orientation", "size", "first", "last"),
    [(6, (200, 400), RED, BLUE), (8, (200, 400), BLUE, RED), (3, (400, 200), BLUE, RED)],
    ids=["right", "left", "upside down"],
)
async def test_a_photo_from_a_phone_is_turned_upright(orientation, size, first, last):
    photo = await developed(from_a_phone(orientation))
    assert photo.size == size
    assert looks_like(photo.getpixel((50, 50)), first)
    assert looks_like(photo.getpixel((size[0] - 50, size[1] - 50)), last)


async def test_metadata_is_dropped():
    file = from_a_phone()
    assert PLACE.encode() in file
    _, _, picture = (await vehicles.convert_photo(file)).partition(",")
    assert PLACE.encode() not in base64.b64decode(picture)
    photo = await developed(file)
    assert not photo.getexif()
    assert not photo.info.keys() & {"exif", "xmp", "icc_profile", "comment"}


async def test_a_large_photo_is_scaled_down():
    photo = await developed(as_file(two_colors((6000, 3000))))
    assert photo.size == (960, 480)


async def test_transparency_becomes_white():
    photo = await developed(as_file(Image.new("RGBA", (40, 40), (255, 0, 0, 0)), "PNG"))
    assert looks_like(photo.getpixel((20, 20)), (255, 255, 255))


@pytest.mark.parametrize(
    "file",
    [
        b"",
        b"GIF89a",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        b"%PDF-1.7",
        b"x" * 100_000,
        as_file(two_colors())[:400],  # the head of a photo, as a broken connection leaves it
        as_file(two_colors(), "GIF"),
        as_file(two_colors(), "TIFF"),
    ],
    ids=["empty", "a head", "svg", "pdf", "text", "half", "gif", "tiff"],
)
async def test_a_file_that_is_no_photo_is_refused(file):
    with pytest.raises(NoPhoto):
        await vehicles.convert_photo(file)


def test_a_small_file_with_a_huge_picture_is_refused_before_it_is_read(monkeypatch):
    monkeypatch.setattr(vehicles, "PIXELS_MAX", 400 * 200 - 1)
    with pytest.raises(NoPhoto):
        vehicles._convert(as_file(two_colors(), "PNG"))


@given(
    st.sampled_from(["JPEG", "PNG", "WEBP"]),
    st.lists(st.tuples(st.integers(0, 600), st.binary(min_size=1, max_size=8)), min_size=1),
)
def test_a_corrupted_photo_is_scaled_down_or_refused(kind, spoils):
    file = as_file(two_colors((40, 20)), kind)
    for at, what in spoils:
        file = file[:at] + what + file[at + len(what) :]
    with suppress(NoPhoto):
        address = vehicles._convert(file)
        assert check_photo(address) == address
