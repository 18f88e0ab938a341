"""Rules for photos: limits of an upload and the format that is kept."""

import base64
import binascii
import struct

from fuel_app.kit.errors import Refusal

SENT_MAX = 10 * 1024 * 1024  # bytes of the file that a visitor chooses
KEPT_MAX = 60_000  # characters of the address that holds the picture
PIXELS_MAX = 64_000_000  # more than phones take in their everyday mode
KINDS = ("image/jpeg", "image/png", "image/webp")

_ADDRESS = "data:image/webp;base64,"


class PhotoTooLarge(Refusal):
    message = "The photo must be 10 MB or smaller."
    http_status = 413


class NoPhoto(Refusal):
    message = "The photo must be an image: JPEG, PNG or WebP."
    http_status = 415


def as_address(picture: bytes) -> str:
    """Return a WebP picture as a `data:` address."""
    return _ADDRESS + base64.b64encode(picture).decode()


def kept(address: object) -> str:
    """Return the address if it is a picture in our format, else an empty string.

    The page returns the address that the photo service gave it, but can be forged. A valid
    one is a short WebP file with a single chunk, without room for metadata.
    """
    if not isinstance(address, str) or not address.startswith(_ADDRESS):
        return ""
    if len(address) > KEPT_MAX:
        return ""
    try:
        picture = base64.b64decode(address.removeprefix(_ADDRESS), validate=True)
    except (binascii.Error, ValueError):
        return ""
    return address if _is_bare_webp(picture) else ""


def _is_bare_webp(file: bytes) -> bool:
    """Check for the simple format of RFC 9649: a RIFF header and one even-sized chunk."""
    if len(file) < 20:
        return False
    riff, size, webp, chunk, length = struct.unpack_from("<4sI4s4sI", file)
    whole = 20 + length + length % 2 == len(file) == size + 8
    return (riff, webp, chunk) == (b"RIFF", b"WEBP", b"VP8 ") and whole
