"""Checks package managers: what they publish, remove, or fetch from other sources than their registry."""

import re
from collections.abc import Iterator

from atm_tui.risk.calls import Call, assign_check
from atm_tui.risk.programs.agents import check_atm
from atm_tui.risk.tables import read_names

ELSEWHERE = re.compile(
    r"(?:git|hg|svn|bzr)\+|https?://|ssh://|git://|git@|github:|gitlab:|bitbucket:|gist:|file:///tmp|/tmp/|.*\s@\s|[\w.-]+@(?:git\+|https?:|github:|npm:)"
)
_OWNER = re.compile(r"[A-Za-z][\w-]*/[\w.-]+(?:#.*)?$")
_KNOWN_INDEX = re.compile(
    r"https://(?:(?:test\.)?pypi\.org|download\.pytorch\.org|pypi\.nvidia\.com|storage\.googleapis\.com/jax-releases)/"
)
"""Package indexes that instructions of Python packages name."""
_KNOWN_TOOLS = read_names("""
    tsc prettier eslint jest vitest playwright cypress next vite webpack rollup ts-node tsx nodemon nx turbo lerna
    husky lint-staged mocha ava c8 nyc tailwindcss postcss babel sass stylelint markdownlint markdownlint-cli
    markdownlint-cli2 depcheck npm-check-updates ncu npm-run-all run-s run-p concurrently rimraf serve http-server
    storybook sb knip madge size-limit tsup esbuild swc biome @biomejs/biome oxlint expo astro nuxt nuxi svelte-kit
    svelte-check vue-tsc ng typedoc changeset prisma drizzle-kit knex sequelize-cli sequelize typeorm supabase
    firebase wrangler vercel netlify cspell commitlint tsdx react-scripts craco gatsby eleventy @11ty/eleventy hardhat
    foundry tap jasmine karma wdio lighthouse bundlesize source-map-explorer webpack-bundle-analyzer cross-env dotenv
    env-cmd patch-package shadcn @angular/cli @vue/cli-service vue-cli-service react-native electron electron-builder
    electron-forge tape uvu xo standard jsdoc plop graphql-codegen openapi-typescript json-server msw ts-prune
    ts-unused-exports license-checker cdk sls serverless pnpm yarn npm tsc-watch ruff black isort mypy flake8 pylint
    pytest pre-commit pyright bandit codespell vulture nox tox ty sqlfluff yamllint mkdocs sphinx-build coverage
    djlint basedpyright interrogate pip-audit pipdeptree build poetry hatch pdm cookiecutter copier jupyter ipython
    cap @capacitor/cli ionic ember quasar redocly @redocly/cli spectral swagger-cli openapi-generator-cli
    orval kysely-codegen tsd publint attw @arethetypeswrong/cli depcruise dependency-cruiser taze syncpack jscodeshift
    zx type-coverage textlint htmlhint html-validate pa11y lhci live-server browser-sync wait-on start-server-and-test
    npm-run-all2 npm-check sort-package-json envinfo browserslist update-browserslist-db autoprefixer terser uglify-js
    @swc/cli tsc-alias unbuild microbundle rolldown rspack rsbuild parcel vite-node vitepress vuepress docusaurus
    ladle histoire hexo slidev marp @marp-team/marp-cli mmdc @mermaid-js/mermaid-cli mikro-orm detox appium testcafe
    nightwatch stryker solhint truffle aws-cdk firebase-tools convex tauri @tauri-apps/cli hygen lefthook commitizen
    cz tsconfig-paths tap-spec astro-check @tailwindcss/cli @tailwindcss/upgrade eslint_d prettierd dprint nano-staged
    @commitlint/cli @changesets/cli shx cpy-cli del-cli typeorm-ts-node-commonjs pod-install expo-doctor mkdirp tldr
    license-checker-rseidelsohn
    nest @nestjs/cli standard-version release-it semantic-release np changelogen conventional-changelog
""")
_CREATORS = read_names("""
    vite vite@latest next-app next-app@latest react-app svelte astro astro@latest remix remix@latest vue vue@latest
    nuxt nuxt-app expo-app solid qwik t3-app
""")


def check_runner(call: Call) -> Iterator[str]:
    """`npx` and similar tools, which fetch programs and run them."""
    names = list(call.names)
    if call.program == "pipx" and names[:1] == ["install"] and any(ELSEWHERE.match(name) for name in names):
        yield "download"
    if call.program in ("npm", "pnpm", "yarn", "bun", "pipx", "uv"):
        if (
            not names
            or names[0] not in ("exec", "x", "dlx", "run", "tool")
            or (names[0] == "run" and call.program != "pipx")
            or names[:2] in (["tool", "list"], ["tool", "install"], ["tool", "dir"], ["tool", "upgrade"])
        ):
            return
        if names[0] == "exec" and call.program in ("pnpm", "yarn", "bun"):
            return
        names = names[2:] if names[0] == "tool" else names[1:]
    package = re.sub(r"(?<=.)@[\w.^~-]*$", "", names[0]) if names else ""
    if package.startswith("create-") and package.removeprefix("create-") in _CREATORS:
        return
    if (
        _has_before(call, "-c", "--call", "--index-url")
        or (_has_before(call, "--from", "-p", "--package", "--spec", "--with") and package not in _PYTHON_SAFE)
        or (
            names
            and (package not in _KNOWN_TOOLS or ELSEWHERE.match(names[0]))
            and not call.has("--no-install", "--no", "--offline")
        )
    ):
        yield "download"


def _has_before(call: Call, *flags: str) -> bool:
    """Returns whether one of these options is given before the program that is run."""
    names = [name for name in call.names if name not in ("exec", "x", "dlx", "run", "tool")]
    at = call.args.index(names[0]) if names else len(call.args)
    return any(word.partition("=")[0] in flags for word in call.args[: at + 1]) or (
        at == 0 and call.args[:1] != () and call.args[0] in flags
    )


_PYTHON_SAFE = read_names("ruff black isort mypy flake8 pytest pre-commit pyright")


def check_node(call: Call) -> Iterator[str]:
    """npm, yarn, pnpm, bun."""
    names = call.names
    verb = call.verb
    if verb == "workspace" and len(names) > 2:
        verb, names = names[2], names[2:]
    if call.program == "yarn" and verb == "npm":
        verb, names = names[1] if len(names) > 1 else "", names[1:]
    if call.has("--dry-run") or (
        verb in ("owner", "token", "access", "team", "org") and {"ls", "list"} & set(names[1:2])
    ):
        verb = ""
    if verb in (
        "publish",
        "unpublish",
        "deprecate",
        "owner",
        "access",
        "team",
        "token",
        "login",
        "adduser",
        "star",
        "hook",
        "org",
        "profile",
        "stage",
    ):
        yield "credentials" if verb in ("token", "login", "adduser") else "remote"
    elif verb == "dist-tag" and "ls" not in names:
        yield "remote"
    elif (
        verb in ("config", "set", "c")
        and names[1:2] != ("version",)
        and not {"get", "list", "ls", "show"} & set(names[1:2])
    ):
        yield "settings"
    elif verb == "config" and any("auth" in name.lower() or "token" in name.lower() for name in names):
        yield "credentials"
    elif verb in ("install", "i", "add", "update", "up", "upgrade", "global", "ci"):
        packages = names[1:]
        if any(
            ELSEWHERE.match(name) or (_OWNER.match(name) and call.program != "bun")
            for name in packages
            if not name.startswith(("@", ".", "/"))
        ) or call.has("--registry"):
            yield "download"
        if (call.has("-g", "--global") or verb == "global") and "list" not in packages and call.program != "yarn":
            yield "outside"
    if verb in ("uninstall", "remove", "rm", "un", "r", "unlink") and call.has("-g", "--global"):
        yield "delete"
    if verb == "global" and {"remove", "add", "upgrade"} & set(names):
        yield "outside"
    if (
        verb in ("create", "init", "innit")
        and len(names) > 1
        and re.sub(r"@[\w.^~-]*$", "", names[1]) not in _CREATORS
        and names[1] not in _CREATORS
    ):
        yield "download"
    if verb == "audit" and "fix" in names and call.has("--force", "-f"):
        yield "overwrite"
    if verb == "version" and len(names) > 1 and not call.has("--no-git-tag-version"):
        yield "push"
    yield from check_runner(call)


def check_pip(call: Call) -> Iterator[str]:
    """pip, also behind `python -m` and `uv`."""
    names = list(call.names)
    if call.program == "uv":
        if names[:1] == ["publish"]:
            yield "remote"
        if names[:1] in (["add"], ["tool"]) and any(ELSEWHERE.match(name) for name in names):
            yield "download"
        if names[:2] == ["tool", "uninstall"] or names[:2] == ["cache", "purge"]:
            yield "delete"
        if names[:1] == ["run"] and any(
            map(ELSEWHERE.match, [*names[1:2], *call.list_values("--with", "--with-editable")])
        ):
            yield "download"
        if names[:1] != ["pip"]:
            yield from check_runner(call)
            return
        names = names[1:]
    verb = names[0] if names else ""
    if verb in ("install", "download", "wheel", "sync", "inject"):
        indexed = call.list_values("-i", "--index-url", "--extra-index-url", "--find-links", "-f")
        sources = [
            *(name for name in names[1:] if name not in indexed),
            *call.list_values("-e", "--editable", "-r", "--requirement"),
        ]
        indexes = call.list_values("-i", "--index-url", "--extra-index-url", "--find-links", "-f", "--trusted-host")
        if any(map(ELSEWHERE.match, sources)) or not all(map(_KNOWN_INDEX.match, indexes)):
            yield "download"
        if call.has("--break-system-packages", "--target", "--root", "--prefix"):
            yield "outside"
    if verb == "uninstall":
        yield "delete"
    if verb == "config" and not {"get", "list", "debug"} & set(names):
        yield "settings"
    if verb == "cache" and "purge" in names:
        yield "delete"


def check_python(call: Call) -> Iterator[str]:
    """`python -m` with a module that publishes, removes or runs something."""
    for module in call.list_values("-m")[:1]:
        at = next((index for index, word in enumerate(call.args) if word in ("-m", f"-m{module}")), 0)
        rest = call.args[at + (1 if call.args[at] != "-m" else 2) :]
        inner = Call(module.replace("_", "-"), rest, call.command, module, call.is_batch, call.program)
        if module.startswith(("atm_tui", "atm_hooks")):
            yield from check_atm(inner)
        elif module in ("smtpd", "ftplib", "telnetlib", "pyftpdlib"):
            yield "network"


_SYSTEM_READS = read_names("""
    list search show info policy depends rdepends help version check-update list-installed outdated deps doctor leaves
    config home cat desc uses log commands shellenv provides repolist history which why changelog madison stats query
    files showpkg dump
""")


def check_system_packages(call: Call) -> Iterator[str]:
    """Package managers of the system."""
    verb = call.verb
    if call.program == "brew":
        names = call.names
        if verb in ("uninstall", "remove", "rm", "cleanup", "autoremove", "untap", "unlink", "zap"):
            yield "delete"
        elif verb == "services" and not {"list", "info"} & set(names[1:2]):
            yield "services"
        elif verb.startswith("bump-"):
            yield "remote"
        elif verb in ("tap", "developer", "tap-new", "link") or (
            verb in ("install", "reinstall") and any("/" in name for name in names[1:])
        ):
            yield "download"
        elif verb == "bundle" and "cleanup" in names:
            yield "delete"
        return
    if call.has("-h", "--help", "--version", "-V", "--simulate", "--dry-run") and call.program != "rpm":
        return
    if call.program == "rpm":
        if not any(re.match(r"-[a-z]*[qV]|--(?:query|verify|version|help|eval|showrc)", word) for word in call.args):
            yield "root"
    elif call.program in ("pacman", "yay", "paru"):
        if not any(re.match(r"-(?:Q|Ss|Si|F|Sl|Sg)", word) for word in call.args) and call.args:
            yield "root"
    elif call.program == "dpkg":
        if not call.has(
            "-l",
            "-s",
            "-L",
            "-S",
            "-q",
            "-qa",
            "--list",
            "--status",
            "--listfiles",
            "--search",
            "--query",
            "-V",
            "--print-architecture",
            "--get-selections",
        ):
            yield "root"
    elif verb and verb not in _SYSTEM_READS:
        yield "delete" if re.match(r"remove|purge|autoremove|erase|del|uninstall|clean|-R", verb) else "root"


CHECKS = {
    **assign_check(check_runner, "npx bunx uvx pipx pnpx"),
    **assign_check(check_node, "npm pnpm yarn bun"),
    **assign_check(check_pip, "pip pip3 uv"),
    **dict.fromkeys(("python", "python3", *(f"python3.{minor}" for minor in range(8, 20)), "py"), check_python),
    **assign_check(
        check_system_packages,
        """
        apt apt-get aptitude dnf yum zypper apk pacman yay paru snap flatpak port choco winget scoop dpkg rpm brew pkg
        emerge xbps-install xbps-remove opkg apt-key add-apt-repository
    """,
    ),
}
