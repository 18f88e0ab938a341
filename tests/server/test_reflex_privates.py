"""Private parts of Reflex and its libraries that `server/reflex` relies on: docs/framework.md."""

import ast
import dataclasses
import inspect
from importlib.metadata import version
from importlib.resources import files
from pkgutil import resolve_name

import pytest

from fuel_app.settings import ROOT

HERE = ROOT / "fuel_app" / "server" / "reflex"
PROVED_ON = {
    "reflex": "0.10.1",
    "reflex-base": "0.10.1",
    "reflex-components-core": "0.10.1",
    "python-socketio": "5.18.1",
    "python-engineio": "4.15.1",
    "uvicorn": "0.54.0",
    "httptools": "0.9.0",
    "wsproto": "1.3.2",
}
_HTTP = "uvicorn.protocols.http.httptools_impl:HttpToolsProtocol"
_WEBSOCKET = "uvicorn.protocols.websockets.wsproto_impl:WSProtocol"
_REDIS = "reflex.istate.manager.redis:StateManagerRedis"
_TOKENS = "reflex.utils.token_manager:RedisTokenManager"
PRIVATES = {
    "command": [
        "reflex_base.environment:EnvironmentVariables.REFLEX_SKIP_COMPILE",
        "reflex_base.environment:EnvironmentVariables.REFLEX_MOUNT_FRONTEND_COMPILED_APP",
    ],
    "events": [
        "reflex.middleware.middleware:Middleware.preprocess",
        "reflex_base.event.context:EventContext.get",
        "reflex_base.constants:CompileVars.HYDRATE",
        "reflex_base.constants:CompileVars.HYDRATE_AND_LOAD",
        "reflex_base.registry:RegistrationContext.get",
    ],
    "build": [
        "reflex_base.constants:Page404",
        "reflex_base.plugins:Plugin.pre_compile",
    ],
    "private_tabs": [
        "reflex.middleware.middleware:Middleware.preprocess",
        "reflex.istate.data:PageData.from_router_data",
        "reflex.istate.data:URLData.from_router_data",
        "reflex_base.constants:RouteVar.ORIGIN",
        "reflex.state:_override_base_method",
        "reflex.state:BaseState.dict",
        "reflex.state:BaseState.get_delta",
        "reflex.state:BaseState._mark_dirty",
    ],
    "websocket": [
        f"{_HTTP}.connection_made",
        f"{_HTTP}.timeout_keep_alive_handler",
        f"{_HTTP}._unset_keepalive_if_required",
        f"{_HTTP}.on_message_begin",
        f"{_HTTP}.on_headers_complete",
        f"{_WEBSOCKET}.data_received",
        f"{_WEBSOCKET}.handle_ping",
        "reflex_base.constants.state:FIELD_MARKER",
        "reflex_base.constants:CompileVars.CONNECT_AUTH_EVENT",
        "reflex_base.constants:CompileVars.CONNECT_AUTH_STATE_SCHEMA",
        "reflex_base.registry:RegistrationContext.get",
        "reflex.state:BaseState._is_client_storage",
    ],
    "redis_tabs": [
        "reflex.app:App._state_manager",
        f"{_REDIS}._lock",
        f"{_REDIS}._lock_key",
        f"{_REDIS}._wait_lock",
        f"{_REDIS}._try_extend_lock",
        f"{_REDIS}._request_lock_release",
        f"{_REDIS}._handle_lock_contention",
        f"{_REDIS}._notify_next_waiter",
        f"{_REDIS}._coerce_token",
        f"{_REDIS}.set_state",
        f"{_TOKENS}.link_token_to_sid",
        f"{_TOKENS}._get_redis_key",
        "reflex.istate.manager.redis:enable_keyspace_notifications",
    ],
    "shutdown": ["reflex_base.event.processor.event_processor"],
}
FIELDS = {"_oplock_enabled", "_cached_states", "_cached_states_locks", "_local_leases"}
INSIDE = ("reflex", "reflex_base", "engineio", "socketio", "uvicorn", "wsproto")
# Components and what they are made of, which Reflex has under no public name.
COMPONENTS = {
    ("fuel_app/kit/ui/forms.py", "reflex_base.event"),
    ("fuel_app/kit/ui/forms.py", "reflex_base.utils.form"),
    ("fuel_app/kit/ui/map.py", "reflex.vars.function"),
}


@pytest.mark.parametrize(("package", "proved"), PROVED_ON.items())
def test_privates_were_proved_on_the_installed_version(package, proved):
    """On another version: read docs/framework.md, run `make prove`, then change the number."""
    assert version(package) == proved


@pytest.mark.parametrize("name", sorted({name for names in PRIVATES.values() for name in names}))
def test_a_private_is_still_there(name):
    assert resolve_name(name) is not inspect.Parameter.empty


def test_privates_without_a_name_are_still_there():
    fields = {field.name for field in dataclasses.fields(resolve_name(_REDIS))}
    assert fields >= FIELDS
    processor = resolve_name("reflex_base.event.processor.event_processor")
    assert 'f"reflex_event|' in inspect.getsource(processor)
    script = files("reflex_base") / ".templates" / "web" / "utils" / "state.js"
    assert "export const getFormData = (" in script.read_text()  # kit/ui/forms.py
    component = resolve_name("reflex_base.components.component:Component")
    assert "_is_tag_in_global_scope" in vars(component)  # kit/ui/fields.py, areas/ui.py
    assert "self._token_manager" in inspect.getsource(resolve_name("reflex.app:EventNamespace"))


def test_every_module_lists_its_privates_and_is_explained():
    modules = {file.stem for file in HERE.glob("*.py")} - {"__init__"}
    assert modules == set(PRIVATES)
    text = (ROOT / "docs" / "framework.md").read_text()
    assert [module for module in modules if f"`{module}.py`" not in text] == []


def test_nothing_else_reaches_inside_the_framework():
    reached = set()
    for file in [ROOT / "rxconfig.py", *(ROOT / "fuel_app").rglob("*.py")]:
        if file.is_relative_to(HERE):
            continue
        for node in ast.walk(ast.parse(file.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module]
            reached |= {
                (str(file.relative_to(ROOT)), name)
                for name in names
                if name.partition(".")[0] in INSIDE and name != "reflex"
            }
    assert reached == COMPONENTS
