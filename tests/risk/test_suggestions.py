"""What a yes from now on may widen too far: each suggestion alone, by the ids of the list."""

import pytest

from atm_tui.model.request import Request
from atm_tui.risk.rules import DANGERS, build_rules
from atm_tui.risk.suggestions import find_suggestion_dangers

HOME = "/home/user"
ROOT = "/home/user/work/web"
WORDS = {words: key for key, words in DANGERS.items()}


def find_ids(*suggestions, wanted=()):
    request = Request(nonce="0", session_id="s", key="k", digest="d", tool="Bash", suggestions=suggestions, cwd=ROOT)
    return [
        [WORDS.get(x, x) for x in each] for each in find_suggestion_dangers(request, (ROOT,), HOME, build_rules(wanted))
    ]


def make_rules_suggestion(tool, content=None, kind="addRules", behavior="allow"):
    rule = {"toolName": tool} | ({} if content is None else {"ruleContent": content})
    return {"type": kind, "rules": [rule], "behavior": behavior, "destination": "session"}


def make_mode_suggestion(name):
    return {"type": "setMode", "mode": name, "destination": "session"}


def make_folders_suggestion(*names, kind="addDirectories"):
    return {"type": kind, "directories": list(names), "destination": "session"}


RISKY = [
    ("mode", make_mode_suggestion("bypassPermissions")),
    ("mode", make_mode_suggestion("auto")),
    ("mode", make_mode_suggestion("dontAsk")),
    ("wide", make_folders_suggestion("/")),
    ("wide", make_folders_suggestion("/home")),
    ("wide", make_folders_suggestion("/home/user")),
    ("wide", make_folders_suggestion("~")),
    ("wide", make_folders_suggestion("/home/user/work")),
    ("wide", make_folders_suggestion("/home/user/work/web/..")),
    ("wide", make_folders_suggestion("..")),
    ("wide", make_folders_suggestion("/etc")),
    ("wide", make_folders_suggestion("/srv/data", "/")),
    ("credentials", make_folders_suggestion("/home/user/.ssh")),
    *(
        ("wide", make_rules_suggestion(tool))
        for tool in ("Bash", "Read", "Edit", "Write", "WebFetch", "*", "mcp__*", "mcp__x__*")
    ),
    ("wide", make_rules_suggestion("Bash", "")),
    ("wide", make_rules_suggestion("Bash", "*")),
    ("wide", make_rules_suggestion("Bash", ":*")),
    ("wide", make_rules_suggestion("Bash", "* --help")),
    ("wide", make_rules_suggestion("Bash", "python3:*")),
    ("wide", make_rules_suggestion("Bash", "python3 -c:*")),
    ("wide", make_rules_suggestion("Bash", "bash -c *")),
    ("wide", make_rules_suggestion("Bash", "/usr/bin/env *")),
    ("wide", make_rules_suggestion("Bash", "sudo:*")),
    ("wide", make_rules_suggestion("Bash", "npx *")),
    ("wide", make_rules_suggestion("Bash", "rm:*")),
    ("wide", make_rules_suggestion("Bash", "rm -f *")),
    ("wide", make_rules_suggestion("Bash", "git push:*")),
    *(
        ("wide", make_rules_suggestion("Bash", content))
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
    ("answers", make_rules_suggestion("Bash", "atm-tui:*")),
    ("delete", make_rules_suggestion("Bash", "rm -rf src")),
    ("delete", make_rules_suggestion("Bash", "rm -rf:*")),
    ("push", make_rules_suggestion("Bash", "git push --force:*")),
    ("credentials", make_rules_suggestion("Bash", "cat ~/.ssh/id_rsa")),
    ("wide", make_rules_suggestion("WebFetch", "domain:*")),
    ("wide", make_rules_suggestion("Read", "//**")),
    ("wide", make_rules_suggestion("Read", "~/**")),
    ("wide", make_rules_suggestion("Edit", "//etc/**")),
    ("credentials", make_rules_suggestion("Read", "~/.aws/**")),
    ("wide", make_rules_suggestion("Bash", "ls", kind="replaceRules")),
    ("wide", make_rules_suggestion("Bash", "rm:*", kind="removeRules", behavior="deny")),
    ("wide", make_rules_suggestion("Bash", "rm:*", kind="removeRules", behavior="ask")),
    ("wide", {"type": "grantAll"}),
    ("wide", {"type": "addRules", "behavior": "allow", "rules": [{"toolName": "Bash", "more": 1}]}),
    ("wide", {"type": "addDirectories", "directories": ["/a", 3]}),
    ("hidden", make_rules_suggestion("Bash", "ls \u202e")),
]
PLAIN = [
    make_mode_suggestion("acceptEdits"),
    make_mode_suggestion("plan"),
    make_folders_suggestion("/srv/data"),
    make_folders_suggestion("/tmp"),
    make_folders_suggestion(ROOT),
    make_folders_suggestion("src"),
    make_folders_suggestion("/", kind="removeDirectories"),
    make_rules_suggestion("Read", "//usr/**"),
    make_rules_suggestion("Read", "src/**"),
    make_rules_suggestion("Edit", "/docs/**"),
    make_rules_suggestion("Bash", "npm run test:*"),
    make_rules_suggestion("Bash", "npm test"),
    make_rules_suggestion("Bash", "python3 manage.py test:*"),
    make_rules_suggestion("Bash", "git push"),
    make_rules_suggestion("Bash", "git log:*"),
    make_rules_suggestion("Bash", "git diff:*"),
    make_rules_suggestion("Bash", "ls:*"),
    make_rules_suggestion("Bash", "grep:*"),
    make_rules_suggestion("Bash", "docker ps:*"),
    make_rules_suggestion("Bash", "kubectl get:*"),
    make_rules_suggestion("Bash", "gh pr view:*"),
    make_rules_suggestion("Bash", "cargo build:*"),
    make_rules_suggestion("Bash", "make test:*"),
    make_rules_suggestion("Bash", "pytest:*"),
    make_rules_suggestion("WebFetch", "domain:example.com"),
    make_rules_suggestion("mcp__db__query"),
    make_rules_suggestion("Bash", "rm:*", behavior="deny"),
    make_rules_suggestion("Bash", "rm:*", behavior="ask"),
    make_rules_suggestion("Bash", "ls:*", kind="removeRules"),
]


@pytest.mark.parametrize(("expected", "suggestion"), RISKY)
def test_suggestions_that_allow_too_much(expected, suggestion):
    assert expected in find_ids(suggestion)[0]


@pytest.mark.parametrize("suggestion", PLAIN)
def test_everyday_suggestions_of_the_client(suggestion):
    assert find_ids(suggestion) == [[]]


def test_each_suggestion_has_its_own_dangers():
    assert find_ids(
        make_mode_suggestion("plan"), make_mode_suggestion("bypassPermissions"), make_folders_suggestion("/")
    ) == [[], ["mode"], ["wide"]]
    assert find_ids() == []


def test_entries_of_the_user():
    assert find_ids(make_folders_suggestion("/"), wanted=["!wide"]) == [[]]
    assert find_ids(make_folders_suggestion("/srv/prod"), wanted=["prod"]) == [['matches "prod", a pattern of yours']]
