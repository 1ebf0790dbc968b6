"""What machines publish: keys that are one token each, whatever the names, and levels that leave out every text of a person."""

import re
from collections.abc import Iterator
from typing import Any, get_args, get_origin

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atm_tui.model.fleet_server import FleetServer, Level, find_server_problems, make_machine_name
from atm_tui.model.host import NAME
from atm_tui.model.published import encode_token, make_key, parse_key, reduce_session
from atm_tui.model.session import Session, Terminal
from tests.support.effort import examples

SECRET = "a secret text"
ALLOWED = {
    "session_id",
    "name",
    "membership.lead",
    "project.root",
    "project.name",
    "project.branch",
    "project.worktree",
    "model",
    "permission_mode",
    "effort",
    "version",
    "kind",
    "activity.tool",
    "terminal.kind",
    "waits.agent_id",
    "waits.tool",
    "agents.agent_id",
    "agents.kind",
    "agents.color",
    "agents.type",
    "agents.parent",
    "agents.activity.tool",
    "agents.model",
    "agents.context.source",
    "agents.context.compactions.trigger",
    "agents.cost.source",
    "agents.cost.by_model",
    "agents.cost.by_agent",
    "agents.cost.by_kind",
    "tools_used",
    "errors.agent_id",
    "context.source",
    "context.compactions.trigger",
    "cost.source",
    "cost.by_model",
    "cost.by_agent",
    "cost.by_kind",
    "limits.five_hour.problem",
    "limits.seven_day.problem",
    "evidence.source",
    "evidence.event",
}
"""Fields whose text the level `states` publishes: names of projects, branches, models, tools, states; ids."""


def fill(kind: Any) -> Any:
    """A value of a type in which every text is the secret one, and every list has an item."""
    if kind in (str, Any):
        return SECRET
    if kind in (int, float):
        return 1
    if kind is bool:
        return True
    if get_origin(kind) is tuple:
        first, *rest = get_args(kind)
        return (fill(first),) if rest == [...] else tuple(map(fill, get_args(kind)))
    if get_origin(kind) is dict:
        return {fill(get_args(kind)[0]): fill(get_args(kind)[1])}
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return kind(**{field.name: fill(field.type) for field in msgspec.structs.fields(kind)})
    if hasattr(kind, "__members__"):
        return list(kind)[-1]
    if hasattr(kind, "__metadata__"):
        return fill(get_args(kind)[0])
    found = [each for each in get_args(kind) if each is not type(None)]
    return fill(found[0])


def find_texts(value: Any, path: str = "") -> Iterator[str]:
    """The paths of fields that contain the secret text, or a part of it."""
    if isinstance(value, str):
        if "secret" in value:
            yield path
    elif isinstance(value, msgspec.Struct):
        for field in value.__struct_fields__:
            yield from find_texts(getattr(value, field), f"{path}.{field}".lstrip("."))
    elif isinstance(value, dict):
        for each in (*value, *value.values()):
            yield from find_texts(each, path)
    elif isinstance(value, tuple):
        for each in value:
            yield from find_texts(each, path)


def test_states_tell_no_text_but_names_of_projects_models_and_tools() -> None:
    whole = fill(Session)
    every = set(find_texts(whole))
    assert {"last_prompt", "last_reply", "title", "waits.summary", "agents.description", "files.read", "cwd"} <= every
    reduced = reduce_session(whole, Level.STATES)
    assert set(find_texts(reduced)) <= ALLOWED
    assert ALLOWED - {"name"} <= every
    assert reduce_session(whole, Level.FULL) is whole
    assert reduce_session(whole, Level.COUNTS) is None


def test_a_pane_is_published_only_where_its_socket_is_the_usual_one() -> None:
    usual = Terminal(kind="tmux", socket="/tmp/tmux-1000/default", pane="%3", session="my client", tty="/dev/pts/3")
    found = reduce_session(Session(session_id="s", terminal=usual), Level.STATES)
    assert found is not None
    assert found.terminal == Terminal(kind="tmux", socket="/tmp/tmux-1000/default", pane="%3")
    own = msgspec.structs.replace(usual, socket="/home/me/secret-client")
    found = reduce_session(Session(session_id="s", terminal=own), Level.STATES)
    assert found is not None
    assert found.terminal == Terminal(kind="tmux")


@settings(max_examples=examples(200), deadline=None)
@given(st.text(), st.from_regex(re.compile(NAME, re.ASCII), fullmatch=True))
def test_any_name_is_one_token_and_only_what_we_make_is_read(text: str, name: str) -> None:
    token = encode_token(text)
    assert not set(token) & set(". *>\t\r\n\0 ")
    assert token.isascii()
    assert parse_key(make_key(name)) == (name, "")
    assert parse_key(make_key(name, name)) == (name, name)
    if found := parse_key(text):
        assert make_key(*found) == text


@pytest.mark.parametrize(
    "key", ["", ".", "a.", ".a", "a.b.c", "=2E", "a=2e", "a=61", ">", "a.*", "a b", "a.=1B[", "=41"]
)
def test_other_keys_are_left_alone(key: str) -> None:
    assert parse_key(key) is None


@settings(max_examples=examples(100), deadline=None)
@given(st.text())
def test_a_host_name_gives_a_name(text: str) -> None:
    assert re.fullmatch(NAME, make_machine_name(text), re.ASCII)


def test_names_of_machines() -> None:
    assert make_machine_name("gpu-1.example.com") == "gpu-1"
    assert make_machine_name("../../*.>") == "machine"
    assert make_machine_name("büro pc") == "b-ro-pc"


@pytest.mark.parametrize(
    ("server", "fields"),
    [
        (FleetServer(nats="nats://me:secret@name:4222, tls://[::1]:1"), []),
        (FleetServer(nats="name"), []),
        (FleetServer(nats="http://name"), ["nats"]),
        (FleetServer(nats="nats://a b"), ["nats"]),
        (FleetServer(nats="nats://name:99999"), ["nats"]),
        (FleetServer(creds="a", nkey="b"), ["nkey"]),
        (FleetServer(tls_cert="a"), ["tls_key"]),
        (FleetServer(machine="a b"), ["machine"]),
        (FleetServer(nats="http://name", creds="a", nkey="b", machine="a b"), ["nats", "nkey", "machine"]),
    ],
)
def test_what_is_wrong_with_a_server(server: FleetServer, fields: list[str]) -> None:
    assert [field for field, _ in find_server_problems(server)] == fields


def test_an_address_is_shown_without_what_is_secret() -> None:
    assert FleetServer(nats="nats://me:secret@name, tls://token@b:1").describe() == "nats://name:4222, tls://b:1"
