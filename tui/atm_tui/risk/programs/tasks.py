"""Checks task runners, and scripts by their names."""

import re
from collections.abc import Iterator
from dataclasses import replace

from atm_tui.risk.calls import INTERPRETER, Call, assign_check
from atm_tui.risk.programs.code import check_code, only_checks_syntax
from atm_tui.risk.programs.databases import check_migration
from atm_tui.risk.tables import PRODUCTION, read_names

_STRONG = read_names("""
    deploy deployment release publish reset drop destroy delete purge wipe nuke rollback teardown uninstall flush
    truncate promote upload ship provision unpublish factory erase decommission revoke undeploy redeploy scratch
    obliterate downgrade terminate shutdown restore cutover failover rotate evict kill remove announce notify
    broadcast tag dropdb resetdb golive
""")
_BUILDING = read_names("""
    build start serve test lint bundle preview check typecheck compile docs watch dev dry plan diff status logs list
    show info help e2e unit spec
""")


_BUILDS_RELEASE = re.compile(r"(?:build|test|lint|compile|bundle|assemble)[:-]?release", re.IGNORECASE)


def names_danger(name: str) -> bool:
    """Returns whether the name of a task or script says that it destroys or deploys something."""
    parts = set(re.split(r"[^a-z0-9]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower()))
    if _BUILDS_RELEASE.fullmatch(name) or parts & {
        "dry",
        "test",
        "tests",
        "specs",
        "docs",
        "lint",
        "check",
        "notes",
        "plan",
        "status",
        "list",
        "help",
        "spec",
        "unit",
    }:
        return False
    return bool(parts & _STRONG) or bool(parts & PRODUCTION and not parts & _BUILDING)


def check_task(call: Call) -> Iterator[str]:
    """`make deploy`, `npm run release` and similar commands."""
    names = list(call.names)
    if call.has("-n", "--dry-run", "--just-print", "--help", "--list", "-l", "-T"):
        return
    if call.program in ("npm", "pnpm", "bun", "yarn"):
        values = call.list_values("--prefix", "-w", "--workspace", "--filter", "-F", "-C", "--dir", "--cwd")
        names = [name for name in names if name not in values]
        if names[:1] == ["workspace"]:
            names = names[2:]
        if names[:1] in (["run"], ["run-script"], ["rum"]):
            names = names[1:2]
        elif call.program == "npm" or names[:1] == ["remove"]:
            names = []
        else:
            names = names[:1]
    elif call.program in _RUN_SCRIPTS:
        at = next((index for index, name in enumerate(names) if name in ("run", "run-script", "task")), len(names))
        names = names[at + 1 : at + 2]
    elif call.program in ("tox", "nox"):
        names = [name for name in names if name not in call.args[[*call.args, "--"].index("--") :]]
    elif call.program in ("cmake", "meson"):
        names = call.list_values("--target", "-t")
    elif call.program in ("nx", "turbo", "lerna", "moon"):
        names = [name for name in names if name not in ("run", "exec", "run-many")][:2] if call.verb != "reset" else []
    elif call.program in ("gradle", "gradlew", "mvn", "mvnw"):
        names = [name for name in names if not re.search("publishToMavenLocal|release$", name)]
    elif call.program == "docker":
        names = []
    if any("=" not in name and names_danger(name) for name in names):
        yield "task"
    if call.program == "make" and (
        any(word.startswith(("SHELL=", "--eval")) for word in call.args) or "-" in call.list_values("-f", "--file")
    ):
        yield "download"


_RUN_SCRIPTS = read_names("poetry pdm hatch rye pixi pipenv composer devbox deno")
"""Programs that run a project's scripts by `run`."""


_RAILS_RESETS = re.compile(
    r"db:(?:drop|reset|purge|setup|schema:load|structure:load|rollback|truncate_all|migrate:(?:reset|down|redo)|environment:set|test:purge|fixtures:load|seed:replant|prepare)(?::.*)?|\w+:(?:clobber|drop|destroy|delete|purge|reset|wipe|clear)|destroy|d|credentials:\w+|secrets:\w+|log:clear|tmp:clear_all|app:update"
)


def check_rails(call: Call) -> Iterator[str]:
    """Rails and Rake."""
    tests = any(name in ("RAILS_ENV", "RACK_ENV") and value == "test" for name, value in call.command.assignments)
    if any(_RAILS_RESETS.fullmatch(name) for name in call.names[:1]) and call.verb != "tmp:clear" and not tests:
        yield "data"
    elif any(names_danger(name) for name in call.names[:1]):
        yield "task"
    if call.verb in ("runner", "r"):
        yield from check_code(" ".join(call.names[1:]))
    yield from check_console(call)
    if call.list_values("-e", "--environment")[:1] in (["production"], ["prod"], ["staging"]):
        yield "remote"


def check_console(call: Call) -> Iterator[str]:
    """Consoles of web frameworks and their databases: what they run."""
    command = call.command
    if call.verb in ("console", "c", "dbconsole", "db", "shell", "konsole"):
        if command.body is not None:
            yield from check_code(command.body)
        if command.reads or command.source is not None:
            yield "data"


def check_django(call: Call) -> Iterator[str]:
    """Django's manage.py, with any way to call it."""
    names = list(call.names)
    at = next((index for index, name in enumerate(names) if name.endswith("manage.py")), None)
    if at is not None:
        names = names[at + 1 :]
    elif call.program not in ("manage.py", "django-admin"):
        return
    verb = names[0] if names else ""
    if verb in (
        "flush",
        "sqlflush",
        "reset_db",
        "dbshell",
        "clearsessions",
        "drop_test_database",
        "remove_stale_contenttypes",
        "changepassword",
        "createsuperuser",
        "loaddata",
        "delete_squashed_migrations",
        "wipe_db",
    ) or (verb == "migrate" and ("zero" in names or any(re.fullmatch(r"\d{4}(?:_\w+)?", name) for name in names[2:]))):
        yield "data"
    elif verb == "collectstatic" and "--clear" in call.args:
        yield "delete"
    elif verb in ("shell", "shell_plus"):
        for text in (*call.list_values("-c", "--command"), call.command.body or ""):
            yield from check_code(text)
        if call.command.source is not None:
            yield "download"
    elif names_danger(verb) or {"--reset", "--delete", "--purge"} & set(call.args):
        yield "task"


_VERBS = _STRONG - read_names("tag notify announce rotate broadcast scratch factory deployment evict") | read_names(
    "rm del stop restart erase prune push submit yank retire apply clobber unregister deregister drain reveal decrypt send empty"
)
_FLAGS = read_names(
    "--delete --purge --destroy --drop --wipe --prod --production --auto-approve --no-confirm --force-delete --erase --reset --push"
)
_GENERATES = read_names("g generate new add make create init scaffold")
"""Verbs that write source files, whose names may say anything."""
_PATH = re.compile(r"\s|/|=|^\.|\.(?:[a-z]{1,4}\d?|json|html|toml|lock)$")


def check_verbs(call: Call) -> Iterator[str]:
    """Programs that no other check knows: by their first words and options."""
    if call.has("--help", "--dry-run", "--version") or _GENERATES & set(call.names[:1]):
        return
    if _VERBS & set(call.names[:3]) or any(map(_names_change, call.names[:2])) or _FLAGS & call.flags:
        yield "task"


def _names_change(word: str) -> bool:
    """Returns whether a word such as `apps:destroy` or `drop-table` contains a changing verb."""
    return not _PATH.search(word) and names_danger(word) and bool(_VERBS & set(re.split(r"[^a-z]+", word.lower())))


def check_unknown(call: Call) -> Iterator[str]:
    """Programs that no table knows: by their arguments and their name."""
    yield from check_verbs(call)
    if not call.wrapper and _names_change(call.program.removesuffix("-send")):
        yield "task"


def _list_run_scripts(call: Call) -> list[str]:
    """Returns the scripts and programs of a project that a build tool is told to run."""
    names, verb = call.names, call.verb
    match call.program:
        case "go" | "deno" | "mix" | "bun":
            return list(names[1:2]) if verb == "run" else []
        case "cargo":
            behind = call.args[call.args.index("--") + 1 :][:1] if "--" in call.args else ()
            return [*call.list_values("--bin", "-p", "--package", "--example"), *behind] if verb == "run" else []
        case "dotnet":
            return call.list_values("--project", "-p") if verb == "run" else []
        case "java":
            return call.list_values("-jar")
        case "pnpm" | "yarn":
            return list(names[1:2]) if verb in ("tsx", "ts-node", "node", "vite-node") else []
    return []


def check_any(call: Call) -> Iterator[str]:
    """Scripts, by their name: run by an interpreter, or directly."""
    yield from check_django(call)
    program = call.program
    scripts = (
        [program] if "/" in call.path.rstrip("/") or re.search(r"\.(?:sh|py|rb|js|mjs|ts|pl|php)$", program) else []
    )
    if (INTERPRETER.fullmatch(program) and not only_checks_syntax(call)) or program in ("source", "."):
        scripts += [
            name
            for name in call.names[:1]
            if re.search(r"\.\w{1,4}$|/", name) and " " not in name and "/node_modules/" not in name
        ]
        if program == "php" and call.verb.rpartition("/")[2] in ("artisan", "console"):
            at = call.args.index(call.verb)
            inner = replace(call, program=call.verb.rpartition("/")[2], args=call.args[at + 1 :], path=call.verb)
            yield from check_migration(inner)
            if inner.verb == "tinker":
                yield from check_code(" ".join(inner.list_values("--execute")))
                if call.command.source is not None or call.command.reads or call.command.body is not None:
                    yield "download"
        modules = call.list_values("-m")
        scripts += modules[:1]
    scripts += _list_run_scripts(call)
    if (
        any(names_danger(each.rpartition("/")[2]) for each in scripts if not re.match(r"/(?:usr|bin|sbin|opt)/", each))
        and program != "rm"
    ):
        yield "task"
    if scripts and scripts[-1].endswith("setup.py") and {"upload", "register"} & set(call.names):
        yield "remote"


CHECKS = {
    **assign_check(
        check_task,
        """
        make gmake just rake task invoke inv gulp grunt npm pnpm yarn bun nx turbo moon mage doit fab cap mina poe tox
        nox ant sbt lerna earthly dagger mise pants waf scons run-s run-p npm-run-all npr wireit cargo-make xtask
        phing robo dep deployer envoy thor poetry pdm hatch rye pixi pipenv composer devbox deno cmake meson ninja bazel
    """,
    ),
    **assign_check(check_rails, "rails rake"),
    "flask": check_console,
    **assign_check(
        check_verbs,
        """
        stack cabal rebar3 dart flutter mkdocs hugo jekyll nest next nuxt astro remix pre-commit husky dune zig crystal buck2
        bazelisk dvc deno ng ember meteor jsr
    """,
    ),
    "rimraf": check_task,
}
