"""What pip is told on a machine, as uv is told it."""

import install

FILE = """
[global]
index-url = https://packages.example/simple
extra-index-url =
    https://more.example/simple
    https://most.example/simple
find-links = /some/wheels /more/wheels
constraint = /etc/capped.txt
timeout = 20
[install]
trusted-host = packages.example
cert = /etc/our company.pem
"""


def test_pips_settings_become_uvs(tmp_path, monkeypatch):
    (tmp_path / "pip.conf").write_text(FILE)
    for setting in install.SETTINGS:
        monkeypatch.delenv(f"PIP_{setting.upper().replace('-', '_')}", raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", str(tmp_path / "pip.conf"))
    monkeypatch.setenv("PIP_INDEX_URL", "https://nearer.example/simple")
    assert {
        "UV_DEFAULT_INDEX": "https://nearer.example/simple",
        "UV_INDEX": "https://more.example/simple https://most.example/simple",
        "UV_FIND_LINKS": "/some/wheels,/more/wheels",
        "UV_CONSTRAINT": "/etc/capped.txt",
        "UV_HTTP_TIMEOUT": "20",
        "UV_INSECURE_HOST": "packages.example",
        "SSL_CERT_FILE": "/etc/our company.pem",
    }.items() <= install.translated(install.listed()).items()


def test_what_uv_is_given_itself_counts_and_our_lock_always():
    settings = "global.constraint='/etc/capped.txt'\nglobal.index-url='https://pip.example'\n"
    alone = install.environment(settings, {"HOME": "/home/ada"})
    assert alone == {
        "HOME": "/home/ada",
        "UV_INDEX_STRATEGY": "unsafe-best-match",
        "UV_DEFAULT_INDEX": "https://pip.example",
        "UV_CONSTRAINT": "constraints.txt /etc/capped.txt",
    }
    given = {"UV_DEFAULT_INDEX": "https://uv.example", "UV_CONSTRAINT": "/home/ada/capped.txt"}
    told = install.environment(settings, given)
    assert told["UV_DEFAULT_INDEX"] == "https://uv.example"
    assert told["UV_CONSTRAINT"] == "constraints.txt /home/ada/capped.txt"
    assert install.environment("", {})["UV_CONSTRAINT"] == "constraints.txt"
