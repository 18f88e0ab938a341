"""From the bytes of a file to its rows, whichever program wrote them.

Nothing is held but the bytes themselves: text is made of them line by line, each time it is read.
"""

import codecs
import csv
import io
from collections.abc import Iterator

from fuel_app.kit.errors import Refusal

DELIMITERS = (",", ";", "\t")
LINE_MAX = 2**20  # characters; millions of cells in one row would take a gigabyte
_BINARY = "This is not a CSV file. Save the table as CSV (UTF-8) first."


class UnusableFile(Refusal):
    """Nothing in the file can be imported."""

    def __init__(self, why: str) -> None:
        super().__init__(why)


def encoding_of(data: bytes) -> str:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if data[:1] and data[1:2] == b"\0":  # a table begins with a plain letter
        return "utf-16-le"
    if data[:1] == b"\0":
        return "utf-16-be"
    if b"\0" in data:
        raise UnusableFile(_BINARY)
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(data), 2**16):
            decoder.decode(data[start : start + 2**16])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return "utf-8-sig" if data.startswith(codecs.BOM_UTF8) else "cp1252"
    return "utf-8-sig"


def records(data: bytes, encoding: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Every row that is not blank, with the number of its last line."""
    reader = csv.reader(_lines(data, encoding), delimiter=delimiter)
    try:
        for cells in reader:
            if any(cells) and not "".join(cells).isspace():
                yield reader.line_num, cells
    except csv.Error as error:
        line = reader.line_num
        raise UnusableFile(f"Line {line}: a cell is too long. Is a quote missing?") from error
    except UnicodeDecodeError as error:
        raise UnusableFile("The file's text cannot be read. Save it as CSV (UTF-8).") from error


def _lines(data: bytes, encoding: str) -> Iterator[str]:
    text = io.TextIOWrapper(io.BytesIO(data), encoding, newline="")
    for number, line in enumerate(text, 1):
        if "\0" in line:
            raise UnusableFile(_BINARY)
        if len(line) > LINE_MAX:
            raise UnusableFile(f"Line {number} is too long to be a row of a table.")
        yield line
