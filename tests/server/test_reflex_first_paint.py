"""Scripts start after the first paint, and are the same scripts."""

from fuel_app.server.reflex.build import after_first_paint

BUILT = """<head><link rel="modulepreload" href="/assets/root-1.js"/></head><body>Hello
<script>first()</script><script type="module" async="">import "/assets/manifest-1.js";
import * as route0 from "/assets/root-1.js";
import * as route1 from "/assets/_index-1.js";

  window.modules = {"root":route0,"routes/_index":route1};

import("/assets/entry-1.js");</script></body>"""


def test_modules_are_loaded_after_a_frame():
    document = after_first_paint(BUILT)
    script = document.partition('<script type="module" async="">')[2].partition("</script>")[0]
    assert script.strip().startswith("requestAnimationFrame(() => setTimeout(async () => {")
    assert "const [_0, route0, route1] = await Promise.all([" in script
    for module in ("manifest-1", "root-1", "_index-1", "entry-1"):
        assert f'import("/assets/{module}.js")' in script
    assert 'window.modules = {"root":route0,"routes/_index":route1};' in script
    assert 'rel="modulepreload"' not in document
    assert '<link rel="waiting-modulepreload" href="/assets/root-1.js"/>' in document


def test_a_document_without_module_scripts_is_unchanged():
    for document in ("<p>Hello</p>", '<script type="module" async="">run()</script>'):
        assert after_first_paint(document) == document
