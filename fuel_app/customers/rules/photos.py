"""Photos that visitors add: what may be sent, and what is kept of one."""

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
    def __init__(self) -> None:
        super().__init__("The photo must be 10 MB or smaller.")


class NoPhoto(Refusal):
    def __init__(self) -> None:
        super().__init__("The photo must be an image: JPEG, PNG or WebP.")


def as_address(picture: bytes) -> str:
    """A WebP picture as an address that needs no file."""
    return _ADDRESS + base64.b64encode(picture).decode()


def kept(address: object) -> str:
    """The address of a picture as we make them; empty for anything else.

    The page hands back what `services.photos` gave it, but anybody can hand in anything. What
    passes is a short WebP file of one part, the picture: there is no room for metadata in it.
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
    """RFC 9649: a RIFF header, then for the simple format one chunk, padded to an even size."""
    if len(file) < 20:
        return False
    riff, size, webp, chunk, length = struct.unpack_from("<4sI4s4sI", file)
    whole = 20 + length + length % 2 == len(file) == size + 8
    return (riff, webp, chunk) == (b"RIFF", b"WEBP", b"VP8 ") and whole
