"""`atm-tui publish` as a process, with a real nats-server: what leaves the machine at each level, who may write, and the unit."""

import asyncio
import json
import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from atm_tui.cli import nats_argument
from atm_tui.cli.command_error import CommandError
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.config import Config
from atm_tui.view.systemd_unit import write_unit
from tests.support.command_home import Home
from tests.support.effort import mark_long
from tests.support.nats_operator import Operator
from tests.support.nats_server import make_nkey, need_nats_server, run_nats_server
from tests.support.waiting import PATIENCE, wait_until

SECRET = "SECRET"


@contextmanager
def publish(home: Home, url: str, *words: str) -> "Iterator[subprocess.Popen[str]]":
    with home.open("publish", "--nats", url, *words) as process:
        yield process
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE) == ExitCode.DONE


def read_all(url: str) -> dict[str, bytes]:
    """The newest value of each subject of all streams."""

    async def read() -> dict[str, bytes]:
        import nats
        from nats.js.errors import NotFoundError

        client = await nats.connect(url)
        found: dict[str, bytes] = {}
        try:
            jetstream = client.jetstream()
            for name in [each.config.name for each in await jetstream.streams_info()]:
                last = (await jetstream.stream_info(name)).state.last_seq
                for number in range(1, last + 1):
                    try:
                        message = await jetstream.get_msg(name, number)
                    except NotFoundError:
                        continue
                    found[str(message.subject)] = found.get(str(message.subject), b"") + bytes(message.data or b"")
        finally:
            await client.close()
        return found

    return asyncio.run(read())


def record_secrets(home: Home, key: str) -> None:
    """A session in which every text that a person, the model or a tool wrote has the secret word."""
    cwd = home.folder / f"{SECRET}-folder" / "shop"
    cwd.mkdir(parents=True, exist_ok=True)
    more = {"cwd": str(cwd), "prompt_id": "p1"}
    home.record(key, "SessionStart", source="startup", session_title=f"{SECRET} title", **more)
    home.record(key, "UserPromptSubmit", prompt=f"{SECRET} prompt", **more)
    file = {"file_path": f"/x/{SECRET}.py", "old_string": SECRET, "new_string": SECRET}
    home.record(key, "PreToolUse", tool_name="Edit", tool_input=file, tool_use_id="t1", **more)
    home.record(key, "PostToolUse", tool_name="Edit", tool_input=file, tool_response={}, tool_use_id="t1", **more)
    home.record(key, "SubagentStart", agent_id="a1", agent_type="Explore", **more)
    ask = {"command": f"rm {SECRET}", "description": SECRET}
    home.record(key, "PreToolUse", tool_name="Bash", tool_input=ask, tool_use_id="t2", **more)
    home.record(key, "PostToolUseFailure", tool_name="Bash", tool_input=ask, tool_use_id="t2", error=SECRET, **more)
    home.record(key, "PermissionRequest", tool_name="Bash", tool_input=ask, **more)


@pytest.mark.parametrize("level", mark_long(("counts", "states", "full"), short=("states",)))
def test_what_leaves_the_machine_at_each_level(home: Home, tmp_path: Path, level: str) -> None:
    record_secrets(home, "s-1")
    with run_nats_server(tmp_path / "nats") as server:
        with publish(home, server.url, "--machine", "gpu.lab", "--level", level):
            wait_until(
                lambda: "$KV.atm.gpu=2Elab" in (found := read_all(server.url)) and (level == "counts" or len(found) > 2)
            )
        found = read_all(server.url)
        seen = home.run("--nats", server.url, "status", "--json", ATM_STATE_DIR=str(tmp_path / "other"))
        asked = home.run("--nats", server.url, "explain", "gpu.lab:s-1", ATM_STATE_DIR=str(tmp_path / "other"))
    record = json.loads(b'{"hello"' + found["$KV.atm.gpu=2Elab"].rpartition(b'{"hello"')[2])
    assert record["totals"]["needs_you"] == 1
    assert record["has_left"]
    subjects = {"$KV.atm.gpu=2Elab", "$KV.atm.gpu=2Elab.s-1", "atm.timeline.gpu=2Elab.s-1"}
    assert set(found) == ({"$KV.atm.gpu=2Elab"} if level == "counts" else subjects)
    whole = b"".join(found.values())
    assert (SECRET.encode() in whole) is (level == "full")
    assert (b"shop" in whole) is (level != "counts")
    found = json.loads(seen.out)
    [machine] = found["machines"]
    assert (machine["machine"], machine["link"]) == ("gpu.lab", "silent"), seen.err
    if level == "counts":
        assert (machine["counts"]["needs_you"], found["totals"]["needs_you"], found["sessions"]) == (1, 1, [])
        return
    [session] = found["sessions"]
    assert (session["session_id"], session["state"], session["project"]) == ("gpu.lab:s-1", "needs_you", "gpu.lab:shop")
    assert session["silent_since"] is not None
    assert "give a command --host gpu.lab as well" in asked.err
    assert (session["title"] == f"{SECRET} title") is (level == "full")


ACCOUNTS = """
accounts {{
  FLEET: {{ jetstream: enabled, users: [
    {{ user: anna, password: right }}
    {{ nkey: {nkey}, permissions: {{
      publish: ["$KV.atm.gpu", "$KV.atm.gpu.>", "atm.timeline.gpu.>", "$JS.API.STREAM.INFO.*", "$JS.API.CONSUMER.*.KV_atm.>",
        "$JS.API.CONSUMER.CREATE.KV_atm", "$JS.API.CONSUMER.INFO.>", "$JS.API.CONSUMER.DELETE.>", "$JS.FC.>",
        "$JS.API.STREAM.MSG.GET.atm-timeline", "$JS.API.DIRECT.GET.>"]
      subscribe: ["_INBOX.>"] }} }} ] }}
  OTHER: {{ jetstream: enabled, users: [ {{ user: bert, password: right }} ] }}
}}
"""


@pytest.mark.long
def test_credentials_of_another_user_are_refused(home: Home, tmp_path: Path) -> None:
    seed, public = make_nkey()
    for name, text in (("own.nk", seed), ("other.nk", make_nkey()[0])):
        (tmp_path / name).write_text(text, "ascii")
    home.record("s1", "SessionStart", source="startup")
    with run_nats_server(tmp_path / "nats", ACCOUNTS.format(nkey=public)) as server:
        at = f"127.0.0.1:{server.port}"
        for words in (
            (f"nats://anna:wrong@{at}",),
            (f"nats://{at}",),
            (f"nats://{at}", "--nkey", str(tmp_path / "other.nk")),
        ):
            done = home.run("publish", "--nats", *words)
            assert (done.code, done.out) == (ExitCode.FAILED, "")
            assert "refuses these credentials" in done.err
            assert "wrong" not in done.err
        done = home.run("publish", "--nats", f"nats://{at}", "--nkey", str(tmp_path / "none.nk"))
        assert (done.code, "there is no such file" in done.err) == (ExitCode.FAILED, True)

        with publish(home, f"nats://anna:right@{at}", "--machine", "box"):
            wait_until(lambda: "$KV.atm.box.s1" in read_all(f"nats://anna:right@{at}"))
        # who has a key for one machine can't write another
        with home.open(
            "publish", "--nats", f"nats://{at}", "--nkey", str(tmp_path / "own.nk"), "--machine", "box2"
        ) as process:
            assert process.wait(PATIENCE) == ExitCode.FAILED
            assert process.stderr is not None
            assert "permissions violation" in process.stderr.read().casefold()
        with publish(home, f"nats://{at}", "--nkey", str(tmp_path / "own.nk"), "--machine", "gpu"):
            wait_until(lambda: "atm.timeline.gpu.s1" in read_all(f"nats://anna:right@{at}"))
        assert set(read_all(f"nats://anna:right@{at}")) >= {"$KV.atm.gpu", "$KV.atm.gpu.s1"}

        other = {"ATM_STATE_DIR": str(tmp_path / "other")}
        seen = home.run("--nats", f"nats://bert:right@{at}", "status", **other)
        assert "there is no bucket atm" in seen.out
        assert "box" not in seen.out
        seen = home.run("--nats", f"nats://anna:wrong@{at}", "status", **other)
        assert "refuses these credentials" in seen.out
        seen = home.run("--nats", f"nats://anna:right@{at}", "status", **other)
        assert "box:s1" in seen.out
        assert "box:s1" not in home.run("--nats", f"nats://anna:right@{at}", "status").out, "they are here already"


@pytest.mark.long
def test_credentials_that_an_operator_has_signed(home: Home, tmp_path: Path) -> None:
    need_nats_server()
    operator = Operator()
    operator.write_creds(tmp_path / "me.creds")
    Operator().write_creds(tmp_path / "other.creds")
    home.record("s1", "SessionStart", source="startup")
    with run_nats_server(tmp_path / "nats", operator.config) as server:
        for words in ((), ("--creds", str(tmp_path / "other.creds"))):
            done = home.run("publish", "--nats", server.url, *words)
            assert (done.code, "refuses these credentials" in done.err) == (ExitCode.FAILED, True), done.err
        viewer = {"ATM_STATE_DIR": str(tmp_path / "viewer"), "XDG_CONFIG_HOME": str(tmp_path / "config")}
        config = tmp_path / "config" / "atm-tui" / "config.toml"
        config.parent.mkdir(parents=True)

        def look(name: str) -> str:
            config.write_text(f'[fleet]\nnats = "{server.url}"\ncreds = "{tmp_path / name}"\n', "utf-8")
            return home.run("--nats", server.url, "status", **viewer).out

        with publish(home, server.url, "--machine", "gpu", "--creds", str(tmp_path / "me.creds")):
            wait_until(lambda: "gpu:s1" in look("me.creds"))
        assert "refuses these credentials" in look("other.creds")


@pytest.mark.long
def test_a_name_is_not_shared_and_old_keys_go(home: Home, tmp_path: Path) -> None:
    home.record("s1", "SessionStart", source="startup")
    with run_nats_server(tmp_path / "nats") as server:
        with publish(home, server.url, "--machine", "gpu"):
            wait_until(lambda: "$KV.atm.gpu.s1" in read_all(server.url))
            done = home.run("publish", "--nats", server.url, "--machine", "gpu", ATM_STATE_DIR=str(tmp_path / "other"))
            assert done.code == ExitCode.FAILED
            assert 'publishes as "gpu": give one of them another name, with --machine' in done.err
        other = {"ATM_STATE_DIR": str(tmp_path / "viewer")}
        assert "gpu:s1" in home.run("--nats", server.url, "status", **other).out
        shutil.rmtree(home.state)
        with publish(home, server.url, "--machine", "gpu"):
            wait_until(lambda: "gpu:s1" not in home.run("--nats", server.url, "status", **other).out)


@pytest.mark.long
def test_tls_with_an_authority_of_ones_own(home: Home, tmp_path: Path) -> None:
    make_authority(tmp_path)
    at = {name: str(tmp_path / name) for name in ("ca.pem", "server.pem", "server.key", "user.pem", "user.key")}
    tls = f'cert_file: "{at["server.pem"]}", key_file: "{at["server.key"]}", ca_file: "{at["ca.pem"]}", verify: true'
    home.record("s1", "SessionStart", source="startup")
    with run_nats_server(tmp_path / "nats", f"tls {{ {tls} }}") as server:
        url = f"tls://127.0.0.1:{server.port}"
        files = ["--tls-ca", at["ca.pem"], "--tls-cert", at["user.pem"], "--tls-key", at["user.key"]]
        with home.open("publish", "--nats", url, "--machine", "gpu", *files) as process:
            assert process.stderr is not None
            assert process.stderr.readline() == f"Publishing as gpu through {url}.\n"
        with home.open("publish", "--nats", url, "--machine", "gpu") as process:
            assert process.stderr is not None
            assert "TLS: " in process.stderr.readline()


def make_authority(folder: Path) -> None:
    """Makes an authority, and certificates of a server and a user, with openssl."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")

    def run(*words: str) -> None:
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True, stdin=subprocess.DEVNULL)

    new = ("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    run(*new, "-x509", "-days", "2", "-subj", "/CN=authority", "-keyout", "ca.key", "-out", "ca.pem")
    (folder / "names").write_text("subjectAltName=IP:127.0.0.1\n", "ascii")
    for name in ("server", "user"):
        run(*new, "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.csr")
        signs = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names")
        run("x509", "-req", "-in", f"{name}.csr", *signs, "-out", f"{name}.pem")


def test_without_the_extra_the_next_step_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nats_argument.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(CommandError) as raised:
        nats_argument.choose_server(Config(), {"nats": "nats://name"})
    assert raised.value.code == ExitCode.NOT_POSSIBLE
    assert "pip install 'atm-tui[fleet]'" in str(raised.value)


def test_what_can_not_be_right_is_refused(home: Home) -> None:
    found = home.run_each(
        ["publish"],
        ["publish", "--nats", "http://name"],
        ["publish", "--nats", "nats://name", "--machine", "a b"],
        ["publish", "--nats", "nats://name", "--level", "all"],
        ["--nats", "nats://name", "doctor"],
        ["--nats", "http://name", "status"],
    )
    assert [each.code for each in found] == [ExitCode.USAGE] * 6
    assert "--nats nats://name:4222" in found[0].err
    assert "Traceback" not in "".join(each.err for each in found)


def test_the_unit_runs_the_command_with_its_files(home: Home, tmp_path: Path) -> None:
    folder = home.folder / 'my "keys" 100% $HOME'
    folder.mkdir()
    done = home.run(
        "publish", "--nats", "tls://name:4222", "--level", "full", "--creds", f"{folder}/me.creds", "--print-unit"
    )
    assert done.code == ExitCode.DONE, done.err
    lines = dict(line.partition("=")[::2] for line in done.out.splitlines() if line[:1] not in ("#", "["))
    words = [each.replace("%%", "%").replace("$$", "$") for each in shlex.split(lines["ExecStart"])]
    assert words[words.index("publish") :] == [
        *("publish", "--nats", "tls://name:4222", "--level", "full", "--creds", f"{folder}/me.creds")
    ]
    assert Path(words[0]).is_absolute()
    assert os.access(words[0], os.X_OK)
    assert f"ATM_STATE_DIR={home.state}" in done.out
    if shutil.which("systemd-analyze"):
        unit = tmp_path / "atm-tui-publish.service"
        unit.write_text(done.out, "utf-8")
        checked = subprocess.run(
            ["systemd-analyze", "verify", "--man=no", str(unit)], capture_output=True, text=True, check=False
        )
        assert "atm-tui-publish" not in checked.stderr, checked.stderr
    with pytest.raises(ValueError, match="a"):
        write_unit(["a\nExecStart=b"], {})


def test_a_password_in_the_unit_is_pointed_out(home: Home) -> None:
    done = home.run("publish", "--nats", "nats://me:secret@name", "--print-unit")
    assert done.code == ExitCode.DONE
    assert "--creds or --nkey keeps it apart" in done.err
