"""Credentials never reach the disk; ordinary commands, paths and prompts stay as they were."""

import json

import pytest

from atm_hooks.payload import read_text
from tests.hooks.credentials import TOKENS, redact_text
from tests.hooks.recordings import read_hooks
from tests.support.hook_sandbox import HookSandbox
from tests.support.timelines import NAMES

PLACES = [
    "{}",
    "export KEY={}",
    "curl -H 'x: {}' https://x.org",
    '{{"k": "{}"}}',
    "say {} now",
    "https://x.org/?q={}&x=1",
    "a\n{}\nb",
    "({})",
]


@pytest.mark.parametrize("kind", TOKENS)
def test_service_tokens_are_replaced(kind: str) -> None:
    for place in PLACES:
        given = place.format(TOKENS[kind])
        assert redact_text(given) == place.format("[redacted]")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("PGPASSWORD=hunter2 psql", "PGPASSWORD=[redacted] psql"),
        ("export DB_PASSWORD='hunter 2' x", "export DB_PASSWORD='[redacted]' x"),
        ("login --password hunter2 --user me", "login --password [redacted] --user me"),
        ("login --db-password=hunter2", "login --db-password=[redacted]"),
        ('{"password": "hunter2", "user": "me"}', '{"password": "[redacted]", "user": "me"}'),
        ("password: hunter2", "password: [redacted]"),
        ("AWS_SECRET_ACCESS_KEY=abcd/efgh+ij", "AWS_SECRET_ACCESS_KEY=[redacted]"),
        ("client_secret=abc&x=1", "client_secret=[redacted]&x=1"),
        ("curl https://x.org/?token=abc&page=2", "curl https://x.org/?token=[redacted]&page=2"),
        ("curl 'https://x.org/?key=abc&page=2'", "curl 'https://x.org/?key=[redacted]&page=2'"),
        ("curl -H 'Authorization: Bearer abcdef' x", "curl -H 'Authorization: Bearer [redacted]' x"),
        ('curl -H "authorization: token abcdef" x', 'curl -H "authorization: token [redacted]" x'),
        ("curl -H 'X-Api-Key: abcdef'", "curl -H 'X-Api-Key: [redacted]'"),
        ("curl -H 'Cookie: session=abc; id=def' x", "curl -H 'Cookie: [redacted]' x"),
        ("use Bearer Abcdef1234567890xyz here", "use Bearer [redacted] here"),
        ("git clone https://me:hunter2@x.org/r.git", "git clone https://me:[redacted]@x.org/r.git"),
        ("git clone https://0123456789abcdef@x.org/r.git", "git clone https://[redacted]@x.org/r.git"),
        ("DATABASE_URL=postgres://u:p@ss@h:5432/d", "DATABASE_URL=postgres://u:[redacted]@h:5432/d"),
        ("redis://:hunter2@h:6379", "redis://:[redacted]@h:6379"),
        ("curl -u me:hunter2 https://x.org", "curl -u me:[redacted] https://x.org"),
        ("mysql -u root -phunter2 db", "mysql -u root -p[redacted] db"),
        ("sshpass -p hunter2 ssh x", "sshpass -p [redacted] ssh x"),
        ("_authToken=abcdef", "_authToken=[redacted]"),
        ("echo -----BEGIN RSA PRIVATE KEY-----\nMIIE", "echo [redacted]"),
        ("SECRET = 'abcdef'", "SECRET = '[redacted]'"),
        ("passphrase => 'abcdef'", "passphrase => '[redacted]'"),
    ],
)
def test_values_of_variables_with_secret_names_are_replaced(given: str, expected: str) -> None:
    assert redact_text(given) == expected
    assert redact_text(expected) == expected


@pytest.mark.parametrize(
    "given",
    [
        "git log --oneline -5 8f14e45fceea167a5a36dedd4bea2543",
        "pytest -q tests/test_token.py::test_secret_names -k password",
        "grep -rn 'password' src/ | head",
        "fix the token counter: max_tokens=4096 is too low",
        "how many tokens does this use?",
        "def login(user: str, password: str | None = None) -> bool:",
        "token = None",
        "curl https://api.example.org/v1/users?page=2",
        "ssh git@example.org -p 2222",
        "git clone ssh://git@example.org/x/y.git",
        "mailto me@example.org or see https://example.org/@someone",
        "echo $GITHUB_TOKEN > /dev/null; login --password $PASS",
        'curl -H "Authorization: Bearer $TOKEN" x',
        "docker run -p 8080:80 -u 1000:1000 nginx",
        "mkdir -p secrets/tokens",
        "npm_config_registry=https://example.org npm ci",
        "pip install sk-learn-extra==1.2.3; cat .github/workflows/pypi-publish.yml",
        "cat hf_model_card.md AKIA.txt eyJ.txt SG.md key-value.txt",
        "for i in 1 2 3; do sleep 1; echo step $i; done",
        "rename secret.py to secrets.py",
        "what is a bearer token?",
        "vi ~/.ssh/id_ed25519.pub",
        "kubectl get secret my-secret -o yaml",
    ],
)
def test_ordinary_text_is_unchanged(given: str) -> None:
    assert redact_text(given) == given


@pytest.mark.parametrize("name", NAMES)
def test_recorded_texts_are_unchanged(name: str) -> None:
    for hook in read_hooks(name):
        data = json.loads(hook.raw)
        for given in (
            data.get("prompt"),
            data.get("message"),
            data.get("last_assistant_message"),
            (data.get("tool_input") or {}).get("command"),
        ):
            if given:
                assert "[redacted]" not in redact_text(given)


def test_a_secret_across_the_cut_is_removed_whole() -> None:
    token = TOKENS["Anthropic key"]
    for before in range(150, 215):
        assert token[:20] not in read_text("x" * before + " " + token + " " + "y" * 500)


def test_redaction_is_fast_on_any_text() -> None:
    for given in ("token=" * 120, "://" * 230, "password " * 80, "sk-" * 230, "bearer " * 100, "=" * 700, '"' * 700):
        assert len(redact_text(given)) <= 4 * len(given)


def test_no_secret_reaches_the_disk(sandbox: HookSandbox) -> None:
    secret = TOKENS["GitHub classic"]
    bash = {
        "tool_name": "Bash",
        "tool_use_id": "t1",
        "tool_input": {"command": f"curl -H 'Authorization: Bearer {secret}' x"},
    }
    ask = {"tool_name": "AskUserQuestion", "tool_input": {"questions": [{"question": f"Is {secret} yours?"}]}}
    payloads = [
        {"hook_event_name": "SessionStart", "session_title": f"with {secret}"},
        {"hook_event_name": "UserPromptSubmit", "prompt": f"use {secret} please"},
        {"hook_event_name": "PreToolUse", **bash},
        {"hook_event_name": "PermissionRequest", **bash},
        {"hook_event_name": "PostToolUse", **bash, "tool_response": {"stdout": secret}},
        {"hook_event_name": "PostToolUseFailure", **bash, "error": f"bad token {secret}"},
        {"hook_event_name": "PreToolUse", **ask, "tool_use_id": "t2"},
        {"hook_event_name": "Notification", "notification_type": "permission_prompt", "message": f"run {secret}"},
        {"hook_event_name": "Stop", "last_assistant_message": f"I used {secret}",
         "background_tasks": [{"id": "b", "description": secret}]},
        {"hook_event_name": "Elicitation", "mcp_server_name": "x", "message": f"Is it {secret}?"},
        {"hook_event_name": "TaskCreated", "task_id": "1", "task_subject": f"rotate {secret}"},
    ]  # fmt: skip
    environ = {"CLAUDE_CODE_MESSAGING_TOKEN": secret, "ANTHROPIC_API_KEY": secret, "TMUX": "/tmp/tmux,1,0"}
    for payload in payloads:
        sandbox.send_hook({"session_id": "s1", **payload}, **environ)
    assert len(sandbox.read_events()) == len(payloads)
    for name in sandbox.list_files():
        assert secret[4:] not in (sandbox.root / name).read_text()
