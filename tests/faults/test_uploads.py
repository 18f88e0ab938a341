"""A file that is far too large is refused while it comes in, or before."""

from fuel_app.submissions.rules.csv import BYTES_MAX
from tests.faults import uploads

UNDER_WAY = 16 * 2**20  # bytes between two systems when the answer comes


async def test_a_gigabyte_is_refused_early_wherever_it_is_sent(site):
    for attempt in await uploads.a_gigabyte_each(site):
        assert attempt.status == uploads.CUT_OFF or 400 <= attempt.status < 500, attempt
        assert attempt.sent <= UNDER_WAY + (0 if attempt.says_length else BYTES_MAX), attempt
