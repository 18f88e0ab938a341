"""The licences of what is shipped."""

from tests import licences


def test_shipped_packages_have_allowed_licences(capsys):
    assert licences.main() == 0
    listed = capsys.readouterr().out
    for name in ("leaflet ", "reflex ", "@socket.io/component-emitter ", "h11 "):
        assert f"\n{name}" in listed
