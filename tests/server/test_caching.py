import pytest

FOREVER = "public, max-age=31536000, immutable"


@pytest.mark.parametrize(
    ("path", "kept"),
    [
        ("/assets/app-1.js", FOREVER),
        ("/favicon.svg", "public, max-age=3600"),
        ("/assets/no.js", "no-cache"),
        ("/fleet", "no-cache"),
    ],
)
async def test_only_files_that_were_found_are_kept(browser, path, kept):
    assert (await browser.get(path)).headers["cache-control"] == kept


async def test_a_file_that_has_not_changed_is_kept_on(browser):
    etag = (await browser.get("/assets/app-1.js")).headers["etag"]

    again = await browser.get("/assets/app-1.js", headers={"if-none-match": etag})

    assert (again.status_code, again.headers["cache-control"]) == (304, FOREVER)


async def test_answers_that_are_no_files_are_not_kept(browser):
    assert "cache-control" not in (await browser.get("/ping")).headers
