"""The check of a new password, beside the event loop."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from fuel_app.accounts.rules.passwords import check_password

# zxcvbn keeps the words of one check in a global: one at a time.
_rating = ThreadPoolExecutor(1, thread_name_prefix="password-rating")


async def check(password: object, *own: str) -> str:
    """Return a new password of somebody with this name and e-mail, in plain text.

    Raises:
        ValueError: With the message for the reader.
    """
    rate = partial(check_password, password, *own)
    return await asyncio.get_running_loop().run_in_executor(_rating, rate)
