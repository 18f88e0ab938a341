"""Uploads of a gigabyte, to addresses that take files and to some that do not."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import product

from fuel_app import routes
from tests.faults.outcome import Outcome
from tests.faults.running import Running

GIGABYTE = 2**30
CUT_OFF = 0  # a status: the connection was closed before the answer came through
_PART = b"x" * 2**16
_CHUNK = b"%x\r\n%b\r\n" % (len(_PART), _PART)
_MEGABYTE = 2**20

ADDRESSES = (routes.PHOTOS, f"{routes.LEAD_IMPORTS}?name=leads.csv", routes.SESSION)
NO_FILES = ("/", "/_event/?EIO=4&transport=polling", "/_upload")


@dataclass(frozen=True)
class Attempt:
    address: str
    says_length: bool
    status: int  # of the answer
    sent: int  # bytes until the answer came, the systems' buffers included
    grown: int  # bytes of the process's memory


async def a_gigabyte_each(site: Running) -> list[Attempt]:
    """Upload a gigabyte to every address, with a Content-Length and chunked."""
    cookie, memory = site.staff_cookie(), _memory(site)
    attempts = []
    for address, says_length in product(ADDRESSES + NO_FILES, (True, False)):
        status, sent = await _sent(site, address, cookie, says_length)
        attempts.append(Attempt(address, says_length, status, sent, _memory(site) - memory))
    return attempts


def summed_up(attempts: Sequence[Attempt]) -> Outcome:
    said = max(each.sent for each in attempts if each.says_length)
    endless = max(each.sent for each in attempts if not each.says_length)
    grown = max(each.grown for each in attempts)
    answers = sorted({str(each.status or "cut off") for each in attempts})
    return Outcome(
        fault="an upload of 1 GB, once with its length said and once without an end",
        load=f"{len(attempts) // 2} addresses, photo and CSV among them",
        served=len(attempts),
        meanwhile=f"refused ({', '.join(answers)}) after {said / _MEGABYTE:.0f} and "
        f"{endless / _MEGABYTE:.0f} MB at most; memory + {grown / _MEGABYTE:.0f} MB at most",
    )


async def _sent(site: Running, address: str, cookie: str, says_length: bool) -> tuple[int, int]:
    reader, writer = await asyncio.open_connection("localhost", site.process.port)
    length = f"Content-Length: {GIGABYTE}" if says_length else "Transfer-Encoding: chunked"
    host = f"Host: localhost:{site.process.port}"
    head = "\r\n".join([f"POST {address} HTTP/1.1", host, f"Cookie: {cookie}", length, "", ""])
    writer.write(head.encode())
    answer = asyncio.create_task(reader.readline())
    sent = 0
    with suppress(ConnectionError):
        while not answer.done() and sent < GIGABYTE:
            writer.write(_PART if says_length else _CHUNK)
            await writer.drain()
            sent += len(_PART)
            await asyncio.sleep(0)  # for the answer
    try:
        status = int((await answer).split()[1])
    except ConnectionError:
        status = CUT_OFF
    writer.close()
    return status, sent


def _memory(site: Running) -> int:
    return sum(process.memory_info().rss for process in site.process.family())
