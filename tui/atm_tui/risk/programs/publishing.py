"""Checks build tools and package managers of languages: what they publish, remove, or fetch from elsewhere."""

import re
from collections.abc import Iterator

from atm_tui.risk.calls import Call, assign_check
from atm_tui.risk.programs.packages import ELSEWHERE


def check_toolchain(call: Call) -> Iterator[str]:
    """Version managers: what they remove, and plugins from elsewhere."""
    if {"uninstall", "remove", "rm", "prune", "implode"} & set(call.names[:3]):
        yield "delete"
    if call.names[:2] in (("plugin", "add"), ("plugins", "install"), ("plugins", "add")) and any(
        map(ELSEWHERE.match, call.names[2:])
    ):
        yield "download"


def check_publisher(call: Call) -> Iterator[str]:
    """Build tools of other languages: what they publish, and what they fetch from elsewhere."""
    names, verb = call.names, call.verb
    if call.has("--dry-run", "--help"):
        return
    match call.program:
        case "mix":
            if verb in ("hex.publish", "hex.retire", "hex.owner", "hex.user", "hex.organization"):
                yield "remote"
        case "xcrun":
            if verb in ("altool", "notarytool") and not {"history", "log", "info"} & set(names):
                yield "remote"
        case "twine":
            if verb in ("upload", "register"):
                yield "remote"
        case "gem":
            if verb in ("push", "yank", "owner", "signin"):
                yield "remote"
            elif verb in ("uninstall", "cleanup"):
                yield "delete"
            elif verb == "install" and any(map(ELSEWHERE.match, names[1:])):
                yield "download"
        case "cargo":
            if verb in ("publish", "yank", "owner", "login", "logout", "release") or names[:2] == (
                "workspaces",
                "publish",
            ):
                yield "remote"
            elif verb == "uninstall":
                yield "delete"
            elif verb == "install" and call.has("--git", "--index", "--registry"):
                yield "download"
        case "pipenv":
            if verb == "install" and any(map(ELSEWHERE.match, names[1:])):
                yield "download"
        case "poetry" | "flit" | "hatch" | "pdm" | "rye" | "maturin":
            if verb in ("publish", "upload") or call.has("--publish"):
                yield "remote"
            elif verb == "config" and any(re.search(r"token|http-basic|repositories|password", name) for name in names):
                yield "credentials"
            elif verb == "cache" and "clear" in names:
                yield "delete"
            elif verb == "add" and any(ELSEWHERE.match(name) for name in names):
                yield "download"
            elif verb == "env" and "remove" in names and call.has("--all"):
                yield "delete"
        case "go":
            if verb == "run" and any("@" in name and "." in name for name in names[1:]):
                yield "download"
            elif verb == "clean" and call.has("-modcache"):
                yield "delete"
            elif verb == "env" and call.has("-w", "-u"):
                yield "settings"
        case "mvn" | "mvnw" | "gradle" | "gradlew" | "sbt" | "lein" | "ant" | "bazel" | "nuget" | "dotnet" | "mill":
            if (
                any(
                    re.match(
                        r"(?::|.*:)?(?:deploy|publish(?!ToMavenLocal)\w*|release\w*|uploadArchives|bintrayUpload|push|nuget-push|closeAndRelease\w*|flyway:?(?:clean|Clean|undo|Undo)|liquibase:?(?:drop|Drop|rollback|Rollback|update|Update)\w*)(?::\w+)*$",
                        name,
                    )
                    for name in names
                )
                and verb not in ("publish", "build")
            ) or (verb == "publish" and call.program != "dotnet"):
                yield "remote"
            if call.program == "dotnet" and (
                "drop" in names
                or (names[:3] == ("ef", "database", "update") and len(names) > 3)
                or (names[:2] == ("ef", "migrations") and "remove" in names)
                or names[:2] in (("nuget", "push"), ("nuget", "delete"))
            ):
                yield "data" if "ef" in names else "remote"
        case "composer":
            if verb == "global":
                yield "outside"
        case "conda" | "mamba" | "micromamba":
            if verb in ("remove", "uninstall", "clean") or names[:2] == ("env", "remove"):
                yield "delete"
        case "pod" | "cocoapods":
            if verb in ("trunk", "repo") and {"push", "remove", "delete"} & set(names):
                yield "remote"
        case "guix":
            if verb in ("gc", "pull", "remove", "system"):
                yield "delete"
        case "nix" | "nix-env" | "nix-collect-garbage" | "nixos-rebuild" | "home-manager":
            if (
                call.program == "nix"
                and verb in ("run", "shell", "develop", "profile")
                and any(re.match(r"(?:github|gitlab|git\+|https?):", name) for name in names)
            ):
                yield "download"
            elif call.program == "nix" and {"gc", "delete", "wipe-history", "remove"} & set(names[1:2]):
                yield "delete"
            elif (
                call.program != "nix"
                and call.args
                and not call.has("-q", "--query", "--help")
                and verb not in ("build", "dry-build")
            ):
                yield "settings"
        case (
            "changeset"
            | "semantic-release"
            | "release-it"
            | "np"
            | "goreleaser"
            | "standard-version"
            | "release-please"
            | "lerna"
            | "nx"
            | "bumpversion"
            | "bump2version"
            | "cz"
            | "vsce"
            | "ovsx"
            | "fastlane"
            | "eas"
            | "gh-pages"
            | "jreleaser"
            | "surge"
        ):
            harmless = {
                "version",
                "status",
                "check",
                "add",
                "init",
                "run",
                "build",
                "test",
                "lint",
                "graph",
                "g",
                "generate",
                "affected",
                "list",
                "ls",
                "show",
                "serve",
                "run-many",
                "exec",
                "package",
                "changed",
                "diff",
                "commit",
                "c",
                "format",
                "reset",
                "e2e",
            }
            if not call.has("--dry-run", "--snapshot", "--help", "--version") and (
                (
                    verb.partition(":")[0] not in harmless
                    and not re.search(r":(?:list|view|inspect)$", verb)
                    and not (call.program == "changeset" and not verb)
                )
                or (call.program == "lerna" and verb == "version" and not call.has("--no-push"))
                or (call.program == "fastlane" and verb not in ("test", "tests"))
            ):
                yield "remote"


CHECKS = {
    **assign_check(
        check_publisher,
        """
        twine gem cargo poetry flit hatch pdm rye maturin go mvn mvnw gradle gradlew sbt lein ant bazel nuget dotnet
        composer conda mamba micromamba pod nix nix-env nix-collect-garbage nixos-rebuild home-manager guix changeset
        semantic-release release-it np goreleaser standard-version release-please lerna nx bumpversion bump2version cz
        vsce ovsx fastlane eas gh-pages jreleaser surge mill mix xcrun
        pipenv
    """,
    ),
    **assign_check(check_toolchain, "nvm fnm n volta pyenv rbenv nodenv goenv jenv sdk asdf rustup mise rtx"),
}
