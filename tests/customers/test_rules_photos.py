"""Which photos a tab keeps: those that we made, and nothing that only looks like one."""

import base64
import struct

import pytest

from fuel_app.customers.rules.vehicles import PHOTO_KEPT_MAX, as_address, check_photo


def webp(picture: bytes = b"\x00" * 30, chunk: bytes = b"VP8 ", size: int | None = None) -> bytes:
    padded = picture + b"\x00" * (len(picture) % 2)
    parts = struct.pack("<4sI", chunk, len(picture) if size is None else size) + padded
    return b"RIFF" + struct.pack("<I", 4 + len(parts)) + b"WEBP" + parts


@pytest.mark.parametrize("length", [30, 31])
def test_a_bare_picture_is_kept(length):
    address = as_address(webp(b"\x01" * length))
    assert check_photo(address) == address


@pytest.mark.parametrize(
    "picture",
    [
        b"",
        b"RIFF",
        b"\x89PNG" + b"\x00" * 40,
        webp(chunk=b"VP8X"),  # the kind that has room for metadata
        webp() + b"EXIF\x04\x00\x00\x00here",
        webp(size=12),
        webp(size=2**32 - 1),
        webp().replace(b"RIFF", b"LIST"),
        b"RIFF" + struct.pack("<I", 2**31) + webp()[8:],
    ],
)
def test_what_is_no_bare_picture_is_not_kept(picture):
    assert check_photo(as_address(picture)) == ""


@pytest.mark.parametrize(
    "address",
    [
        *(None, 7, [], ""),
        "https://example.com/photo.webp",
        "data:image/svg+xml;base64," + base64.b64encode(b"<svg/>").decode(),
        "data:image/webp;base64,not base64",
        "data:image/webp;base64,ü",
        as_address(webp()) + "\n",
        as_address(webp(b"\x00" * PHOTO_KEPT_MAX)),
    ],
)
def test_what_is_no_address_of_ours_is_not_kept(address):
    assert check_photo(address) == ""
