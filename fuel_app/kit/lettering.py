"""Text for drawn pictures: in the site's font, cut to the width."""

from functools import cache
from pathlib import Path

from PIL import ImageFont

_FONTS = Path(__file__).parent / "fonts"


@cache
def font(size: float, *, bold: bool = True) -> ImageFont.FreeTypeFont:
    """Return the site's font at a size in pixels."""
    return ImageFont.truetype(
        _FONTS / ("figtree-bold.ttf" if bold else "figtree-regular.ttf"), size
    )


def fits(text: str, size: float, width: float) -> bool:
    return font(size).getlength(text) <= width


def shortened(text: str, size: float, width: float) -> str:
    """Cut a bold text to the width, with an ellipsis."""
    if fits(text, size, width):
        return text
    while not fits(f"{text}…", size, width):
        text = text[:-1].rstrip()
    return f"{text}…"


def drawable(text: str) -> str:
    """Remove characters that the font has no glyph for, such as emoji."""
    without = (b"", _glyph("\uffff"))
    kept = (character for character in text if character == " " or _glyph(character) not in without)
    return " ".join("".join(kept).split())


def _glyph(character: str) -> bytes:
    return bytes(font(64).getmask(character))  # type: ignore[arg-type]
