"""What a yes from now on may widen too far: each suggestion alone, by the ids of the list."""

import pytest

from atm_tui.model.request import Request
from atm_tui.risk.rules import DANGERS, build_rules
from atm_tui.risk.suggestions import find_suggestion_dangers

HOME = "/home/user"
ROOT = "/home/user/work/web"
WORDS = {words: key for key, words in DANGERS.items()}


def ids(*suggestions, wanted=()):
    request = Request(nonce="0", session_id="s", key="k", digest="d", tool="Bash", suggestions=suggestions, cwd=ROOT)
    return [
        [WORDS.get(x, x) for x in each] for each in find_suggestion_dangers(request, (ROOT,), HOME, build_rules(wanted))
    ]


def allow(tool, content=None, kind="addRules", behavior="allow"):
    rule = {"toolName": tool} | ({} if content is None else {"ruleContent": content})
    return {"type": kind, "rules": [rule], "behavior": behavior, "destination": "session"}


def mode(name):
    return {"type": "setMode", "mode": name, "destination": "session"}


def folders(*names, kind="addDirectories"):
    return {"type": kind, "directories": list(names), "destination": "session"}


RISKY = [
    ("mode", mode("bypassPermissions")),
    ("mode", mode("auto")),
    ("mode", mode("dontAsk")),
    ("wide", folders("/")),
    ("wide", folders("/home")),
    ("wide", folders("/home/user")),
    ("wide", folders("~")),
    ("wide", folders("/home/user/work")),
    ("wide", folders("/home/user/work/web/..")),
    ("wide", folders("..")),
    ("wide", folders("/etc")),
    ("wide", folders("/srv/data", "/")),
    ("credentials", folders("/home/user/.ssh")),
    *(("wide", allow(tool)) for tool in ("Bash", "Read", "Edit", "Write", "WebFetch", "*", "mcp__*", "mcp__x__*")),
    ("wide", allow("Bash", "")),
    ("wide", allow("Bash", "*")),
    ("wide", allow("Bash", ":*")),
    ("wide", allow("Bash", "* --help")),
    ("wide", allow("Bash", "python3:*")),
    ("wide", allow("Bash", "python3 -c:*")),
    ("wide", allow("Bash", "bash -c *")),
    ("wide", allow("Bash", "/usr/bin/env *")),
    ("wide", allow("Bash", "sudo:*")),
    ("wide", allow("Bash", "npx *")),
    ("wide", allow("Bash", "rm:*")),
    ("wide", allow("Bash", "rm -f *")),
    ("wide", allow("Bash", "git push:*")),
    *(
        ("wide", allow("Bash", content))
        for content in (
            "tmux:*",
            "git:*",
            "git checkout:*",
            "git commit:*",
            "npm:*",
            "docker:*",
            "docker exec:*",
            "uv run:*",
            "kubectl:*",
            "aws:*",
            "gh api:*",
            "psql:*",
            "find:*",
            "sed:*",
            "curl:*",
            "make:*",
            "chmod:*",
            "kill:*",
            "screen:*",
            "xdotool:*",
            "npm run:*",
            "yarn run:*",
            "pnpm run:*",
            "pip:*",
            "pip install:*",
            "go run:*",
            "cargo install:*",
            "python manage.py:*",
            "git config:*",
            "git submodule:*",
            "git worktree:*",
            "git gc:*",
            "tar:*",
            "zip:*",
            "ip:*",
            "twine:*",
            "nvm:*",
            "flutter pub:*",
            "mix:*",
            "redis-cli:*",
            "mongosh:*",
            "terraform:*",
            "argocd app:*",
            "skopeo:*",
            "hdfs dfs:*",
            "p4:*",
            "Rscript:*",
            "julia:*",
            "clojure -M:*",
            "journalctl:*",
            "openssl:*",
            "rsync:*",
            "ssh:*",
        )
    ),
    ("answers", allow("Bash", "atm-tui:*")),
    ("delete", allow("Bash", "rm -rf src")),
    ("delete", allow("Bash", "rm -rf:*")),
    ("push", allow("Bash", "git push --force:*")),
    ("credentials", allow("Bash", "cat ~/.ssh/id_rsa")),
    ("wide", allow("WebFetch", "domain:*")),
    ("wide", allow("Read", "//**")),
    ("wide", allow("Read", "~/**")),
    ("wide", allow("Edit", "//etc/**")),
    ("credentials", allow("Read", "~/.aws/**")),
    ("wide", allow("Bash", "ls", kind="replaceRules")),
    ("wide", allow("Bash", "rm:*", kind="removeRules", behavior="deny")),
    ("wide", allow("Bash", "rm:*", kind="removeRules", behavior="ask")),
    ("wide", {"type": "grantAll"}),
    ("wide", {"type": "addRules", "behavior": "allow", "rules": [{"toolName": "Bash", "more": 1}]}),
    ("wide", {"type": "addDirectories", "directories": ["/a", 3]}),
    ("hidden", allow("Bash", "ls \u202e")),
]
PLAIN = [
    mode("acceptEdits"),
    mode("plan"),
    folders("/srv/data"),
    folders("/tmp"),
    folders(ROOT),
    folders("src"),
    folders("/", kind="removeDirectories"),
    allow("Read", "//usr/**"),
    allow("Read", "src/**"),
    allow("Edit", "/docs/**"),
    allow("Bash", "npm run test:*"),
    allow("Bash", "npm test"),
    allow("Bash", "python3 manage.py test:*"),
    allow("Bash", "git push"),
    allow("Bash", "git log:*"),
    allow("Bash", "git diff:*"),
    allow("Bash", "ls:*"),
    allow("Bash", "grep:*"),
    allow("Bash", "docker ps:*"),
    allow("Bash", "kubectl get:*"),
    allow("Bash", "gh pr view:*"),
    allow("Bash", "cargo build:*"),
    allow("Bash", "make test:*"),
    allow("Bash", "pytest:*"),
    allow("WebFetch", "domain:example.com"),
    allow("mcp__db__query"),
    allow("Bash", "rm:*", behavior="deny"),
    allow("Bash", "rm:*", behavior="ask"),
    allow("Bash", "ls:*", kind="removeRules"),
]


@pytest.mark.parametrize(("expected", "suggestion"), RISKY)
def test_what_allows_too_much(expected, suggestion):
    assert expected in ids(suggestion)[0]


@pytest.mark.parametrize("suggestion", PLAIN)
def test_what_the_client_suggests_every_day(suggestion):
    assert ids(suggestion) == [[]]


def test_each_suggestion_has_its_own():
    assert ids(mode("plan"), mode("bypassPermissions"), folders("/")) == [[], ["mode"], ["wide"]]
    assert ids() == []


def test_entries_of_the_user():
    assert ids(folders("/"), wanted=["!wide"]) == [[]]
    assert ids(folders("/srv/prod"), wanted=["prod"]) == [['matches "prod", a pattern of yours']]
