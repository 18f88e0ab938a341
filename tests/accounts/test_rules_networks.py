"""Parts of an address that its owner is shown."""

import pytest

from fuel_app.accounts.rules import network_of


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("203.0.113.7", "203.0.x.x"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1::"),
        ("2001:db8::5", "2001:db8::"),
        ("::1", "::"),
        ("::ffff:203.0.113.7", "203.0.x.x"),
        ("", ""),
        ("unknown", ""),
        ("a.b.c.d", ""),
    ],
)
def test_an_owner_sees_the_network_not_the_address(address, network):
    assert network_of(address) == network
