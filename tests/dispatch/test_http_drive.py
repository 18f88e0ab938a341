"""The technician's page as it is sent: one document, its policy, its worker, its words."""

import re

from fuel_app import routes
from fuel_app.bookings.rules.states import REASONS
from fuel_app.dispatch import http
from fuel_app.dispatch.rules.phones import SAFETY_CHECKS, WORDS
from fuel_app.fuel_app import app, http_routes
from fuel_app.server.html import inline, source_hash
from fuel_app.server.pages import Page, Site


async def test_the_page_is_one_document_whose_policy_lists_its_own_texts(browser):
    page = await browser.get("/drive")
    policy, held = page.headers["content-security-policy"], inline(page.text)
    assert page.status_code == 200
    assert page.headers["cache-control"] == "no-cache"
    assert len(held.styles) == 1
    assert len(held.scripts) == 2
    assert held.style_attributes == []
    assert {source_hash(text) for text in (*held.scripts, *held.styles)} == {
        f"'{name}'" for name in re.findall(r"'(sha256-[^']+)'", policy)
    }
    assert "unsafe" not in policy
    assert re.findall(r"<(?:script|link)[^>]*(?:src|stylesheet)", page.text) == []


async def test_the_page_holds_no_data_and_needs_no_sign_in(browser):
    page = await browser.get("/drive", headers={"cookie": "session=nonsense"})
    assert page.status_code == 200
    assert "set-cookie" not in page.headers
    assert page.text == http.PAGE.document


async def test_the_page_is_sent_again_only_when_it_has_changed(browser):
    tag = (await browser.get("/drive")).headers["etag"]
    assert (await browser.get("/drive", headers={"if-none-match": tag})).status_code == 304


async def test_the_worker_may_fetch_from_this_site_alone_and_is_always_asked_for(browser):
    worker = await browser.get("/technician-worker.js")
    assert worker.headers["content-security-policy"] == (
        "default-src 'none'; connect-src 'self'; img-src 'self'"
    )
    assert worker.headers["content-type"].startswith("text/javascript")
    assert worker.headers["cache-control"] == "no-cache"
    assert http.PAGE.digest in worker.text


def test_any_change_of_the_page_is_a_new_worker():
    one, two = (Page.of(http.document({**WORDS, "ok": ok})) for ok in ("OK", "Fine"))
    assert http.worker_for(one) == http.worker_for(one) != http.worker_for(two)


def test_every_check_and_reason_is_on_the_page():
    for check in SAFETY_CHECKS:
        assert f'value="{check.id}"/>{check.label}</label>' in http.PAGE.document
    for name, reason in REASONS.items():
        note = ' data-note="needed"' if reason.needs_note else ""
        fee = ' data-fee="late"' if reason.costs_fee else ""
        assert f'<option value="{name}"{note}{fee}>{reason.label}' in http.PAGE.document


def test_every_word_is_used_and_every_used_word_is_known():
    script = "".join(map(http._source, http.SCRIPTS))
    template = http._source("drive.html")
    named = {name for name in WORDS if re.search(rf'[$"`.]{name}\b', script + template)}
    built = {name for name in WORDS if name.startswith(("state_", "go_"))}
    assert set(WORDS) - named - built == set()
    asked = re.findall(r'(?:words\((?:n \? )?"|WORDS\.)(\w+)', script)
    assert set(asked) - {"state_", "replace"} <= set(WORDS)


def test_words_cannot_end_the_script_or_the_markup():
    page = http.document({**WORDS, "all_done": "</script><b>&amp;"})
    assert "</script><b>" not in page
    assert "\\u003c/script>" in page


def test_no_other_address_begins_with_the_pages():
    """A scope is a prefix: the worker would have them too."""
    plain = [route.path for route in http_routes(Site())]
    pages = [f"/{route}" for route in app._unevaluated_pages]
    assert "/fleet" in pages
    assert [path for path in (*plain, *pages) if path.startswith(routes.DRIVE)] == [routes.DRIVE]
