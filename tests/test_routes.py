"""Addresses: those that a link may lead on to, and those that hold a token."""

import pytest

from fuel_app import routes


@pytest.mark.parametrize(
    "address",
    [
        *("/", "/dashboard", "/settings/areas", "/neighborhoods/0b8f1c1e-5a5e", "/account/"),
        *("/submissions?lead=1&status=new", "/account#cards", "/schedule?then=//not-a-path"),
    ],
)
def test_an_own_address_is_kept(address):
    assert routes.own_address(address) == address


@pytest.mark.parametrize(
    "address",
    [
        *("", None, 7, [], "dashboard", "//evil.example", "///evil.example", "/\\evil.example"),
        *(
            "/a//evil.example",
            "/.//evil.example",
            "/..//evil.example",
            "/a/../b",
            "/%2F/evil.example",
        ),
        *("/%5C/evil.example", "/%2e//evil.example", "https://evil.example", "javascript:alert(1)"),
        *("/x\r\nSet-Cookie: a=b", "/\tx", "/x?y=\r\n", "/x?\\", "/x\x00", "/" + "x" * 500),
        *("/api", "/api/session/end", "/\u2215evil.example", "/\ud800", " /dashboard"),
    ],
)
def test_any_other_address_is_dropped(address):
    assert routes.own_address(address) == ""


@pytest.mark.parametrize(
    ("path", "link"),
    [
        *(("/reset-password/abc.def", "abc.def"), ("/reset-password/abc/", "abc")),
        *(("/reset-password//abc", "abc"), ("/undo-email/abc", "abc"), ("/invitation/abc", "abc")),
        *(("/reset-password", ""), ("/neighborhoods/abc", ""), ("/", ""), ("", "")),
    ],
)
def test_a_token_is_the_last_part_of_a_links_address(path, link):
    assert routes.link_in(path) == link


@pytest.mark.parametrize("address", ["/drive", "/drive/", "/drive?from=mail"])
def test_the_technicians_page_is_no_page_of_the_router(address):
    assert routes.is_plain(address)


@pytest.mark.parametrize("address", ["", "/", "/drivers", "/dashboard?next=/drive"])
def test_every_other_page_is(address):
    assert not routes.is_plain(address)
