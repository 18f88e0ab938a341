"""Photos as cameras and attackers make them."""

from io import BytesIO

from PIL import Image

RED, BLUE = (200, 30, 30), (30, 30, 200)
_ORIENTATION, _GPS, _MAKER = 0x0112, 0x8825, 0x010F
PLACE = "Palm Avenue 1234"


def two_colors(size: tuple[int, int] = (400, 200)) -> Image.Image:
    """Red on the left, blue on the right."""
    picture = Image.new("RGB", size, RED)
    picture.paste(BLUE, (size[0] // 2, 0, size[0], size[1]))
    return picture


def as_file(picture: Image.Image, kind: str = "JPEG", **how) -> bytes:
    file = BytesIO()
    picture.save(file, kind, **how)
    return file.getvalue()


def from_a_phone(orientation: int = 1, size: tuple[int, int] = (400, 200)) -> bytes:
    """A JPEG that says which way up it is, where it was taken and by what."""
    exif = Image.Exif()
    exif[_ORIENTATION], exif[_MAKER] = orientation, PLACE
    exif.get_ifd(_GPS)[2] = (27.0, 20.0, 11.0)
    return as_file(two_colors(size), exif=exif, comment=PLACE.encode())


def noise(size: tuple[int, int]) -> Image.Image:
    """Return a picture that no codec can compress."""
    return Image.merge("RGB", [Image.effect_noise(size, 120) for _ in range(3)])
