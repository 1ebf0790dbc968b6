"""Checks interpreters, whose programs come from an argument, a pipe, a download, or elsewhere."""

import re
from collections.abc import Iterator
from dataclasses import replace

from atm_tui.risk.calls import INTERPRETER, SHELLS, Call, assign_check
from atm_tui.risk.places import NULLS
from atm_tui.risk.shell import UNSEEN
from atm_tui.risk.tables import read_names

_CODE_OPTIONS = {
    "python": ("-c",),
    "pypy": ("-c",),
    "ipython": ("-c",),
    "perl": ("-e", "-E", "-ne", "-pe", "-nE", "-i", "-pie", "-lne", "-ane", "-lane", "-0pe", "-0777pe"),
    "ruby": ("-e", "-ne", "-pe"),
    "node": ("-e", "--eval", "-p", "--print", "-pe"),
    "nodejs": ("-e", "--eval", "-p", "--print"),
    "bun": ("-e", "--eval", "-p", "--print"),
    "deno": (),
    "php": ("-r", "-R", "-B", "-E"),
    "lua": ("-e",),
    "luajit": ("-e",),
    "Rscript": ("-e",),
    "osascript": ("-e",),
    "julia": ("-e", "-E", "--eval"),
    "elixir": ("-e", "--eval"),
    "groovy": ("-e",),
    "guile": ("-c",),
    "nu": ("-c",),
    "xonsh": ("-c",),
    "pwsh": ("-c", "-Command", "-EncodedCommand", "-e", "-enc"),
    "powershell": ("-c", "-Command", "-EncodedCommand", "-e", "-enc"),
    "tclsh": (),
    "R": ("-e",),
    "scala": ("-e",),
    "scala-cli": ("-e",),
    "iex": ("-e", "--eval"),
    "mix": ("-e", "--eval"),
    "erl": ("-eval",),
    "escript": (),
    "ghc": ("-e",),
    "runghc": ("-e",),
    "racket": ("-e", "--eval"),
    "clojure": ("-e", "-M", "--eval"),
    "clj": ("-e", "-M", "--eval"),
    "bb": ("-e",),
    "sbcl": ("--eval",),
    "ts-node": ("-e", "--eval", "-p", "--print"),
    "tsx": ("-e", "--eval", "-p", "--print"),
    "jshell": (),
    "octave": ("--eval",),
    "kotlin": ("-e",),
    "swift": ("-e",),
    "ocaml": ("-e",),
}
_DELETES = re.compile(
    r"\brm(?:tree|dir|Sync|dirSync)\b|\brm!?\s*\(|\.rm\b|\b(?:delete|remove)(?:-tree|Dir\w*|Directory\w*|File\w*)\b|\bfile(?::|\s+|\.)delete\b|\brm_rf!|rm_r?f?\b|\bremovedirs\b|remove_?tree|remove(?:Sync|dirs)\b\s*\(|\bunlink(?:Sync)?\b|\bos\.remove\b|(?<!\w\.)\bremove\s*\(|(?:[Ff]ile|[Ff]ilesystem|fs|Files|Dir|os|Deno)\.remove\s*\(|rimraf|FileUtils|(?:File|Dir|Files)\.(?:delete|rmdir|remove|unlink)|fs['\"]?\)?\.rm|delete-(?:directory|file)|remove_dir_all"
    r"|Remove-Item|\bdeleteMany\b|delete_all|destroy_all|delete_recursive|deleteRecursively|\btruncate\b|\bemptyDir|\brm\s+-\w*[rRf]|send2trash|\bdel\s+/|\.delete\(\s*\)|\bdelete\(|deleteTree|shutil\.move|\btruncate(?:Sync)?\s*\(|\b(?:delete|drop|destroy|update)_all\b|\.drop(?:_all|Database|Collection)?\s*\("
)
_WRITES = re.compile(
    r"open\s*\([^()]{0,400}?,\s*(?:mode\s*=\s*)?['\"][rb]?[wax+][bt+]{0,2}['\"]|open\s*\(?[^()]{0,200}['\"]\s*\+?>|\.open\(\s*['\"][wax][bt+]{0,2}['\"]|write_?(?:text|bytes|File|fileSync)|(?:File|IO)\.(?:write|binwrite|open|rename)"
    r"|file_put_contents|os\.(?:rename|replace|truncate|chmod|chown|symlink)|shutil\.(?:copy|move)|renameSync|copyFile|\bcpSync\b|createWriteStream|Set-Content|Out-File|writeTextFile|chmodSync|fopen\s*\([^()]{0,200},\s*['\"][wax]|\brename\s*\("
)
_RUNS = re.compile(
    r"\bos\.(?:system|popen|exec\w*|spawn\w*|kill\w*|fork|posix_spawn)|subprocess|child_process|\bexec(?:Sync|File|FileSync|ve?|lp?)?\s*\(|spawn(?:Sync)?\s*\(|(?<!\.)\beval\b|\bsystem\s*[\s(\"'`]|\bexec\s+[\"'@$]"
    r"|%x[\[({]|`[^`]+`|Kernel\.|IO\.popen|Open3|shell_exec|passthru|proc_open|popen|\bpty\b|__import__|importlib(?!\.(?:metadata|resources))|compile\s*\(|marshal|pickle|ctypes|b64decode|base64|codecs\.|\batob\s*\(|Buffer\.from|unpack\s*\(|fromCharCode"
    r"|\bchr\s*\(|bytes\.fromhex|new\s+Function|Function\s*\(|vm\.run|Deno\.(?:Command|run)|Bun\.(?:spawn|\$)|Process\.(?:kill|spawn)|process\.kill|do\s+shell\s+script|Invoke-Expression|\biex\b|Start-Process|runpy|posix\.|loadstring|\bdo\s+\(|os\.execute|qx[/{(]"
    r"|\bSystem\.(?:cmd|shell)|\bos:cmd|sys\.process|\.execute\(\s*\)|shell/sh|shell-command|\bsource\s*\(\s*['\"]http|getattr\s*\(|globals\s*\(|\bcall\s*\(|require\s*\(\s*['\"](?:shelljs|execa|zx)|signal\.|setuid"
)
_REACHES = re.compile(
    r"(?:requests|httpx|session|client|axios|http)\.(?:post|put|delete|patch)|urlretrieve|socket\b|smtplib|ftplib|paramiko|telnetlib|Net::(?:HTTP|SMTP|SSH)|LWP|method\s*[:=]\s*['\"](?:POST|PUT|DELETE|PATCH)|XMLHttpRequest|DownloadString|boto3"
    r"|[(,]\s*data\s*=|sendmail|websocket|WebClient|net\.connect|createConnection|IO::Socket|TCPSocket|fsockopen"
)
_DATABASE = re.compile(
    r"\bdrop\s+(?:table|database|schema)|\bdelete\s+from|\btruncate\s+(?:table\s+)?\w|\balter\s+table|dropDatabase|flushall|flushdb|drop_all\(|\bupdate\s+\w+\s+set|->(?:update|save|forceDelete|insert)\s*\(|::(?:create|insert|update)\s*\(",
    re.IGNORECASE,
)
_SECRETS = re.compile(
    r"os\.environ(?!\.get\(|\[|\.setdefault)|process\.env(?!\.\w|\[)|\bENV\.(?:to_h|each|inspect)|\bp\s+ENV\b|%ENV\b|getenv\(\s*\)|\$_ENV|/etc/shadow|\.ssh/|\.aws/|id_rsa|keyring|getpass|\.env['\"]"
    r"|(?:environ(?:\.get\(|\[)|process\.env\.|process\.env\[|ENV[\[{]|getenv\s*\()\s*['\"]?\w*(?:TOKEN|SECRET|PASSWORD|KEY)"
)
_TYPES = re.compile(
    r"atm[-_](?:tui|hooks)|keystroke|key code|send-keys|System Events|TIOCSTI|0x5412|pyautogui|pynput|xdotool|uinput|SendKeys"
    r"|/dev/pts"
)

_DANGERS = (
    (_DELETES, "delete"),
    (_WRITES, "overwrite"),
    (_RUNS, "download"),
    (_REACHES, "remote"),
    (_DATABASE, "data"),
    (_SECRETS, "credentials"),
    (_TYPES, "answers"),
)


def check_code(text: str) -> Iterator[str]:
    """Yields the ids of dangers in a program of any scripting language."""
    for pattern, danger in _DANGERS:
        if pattern.search(text):
            yield danger


_PERL_EMPTIES = re.compile(r"(?:s([/|#,!])\^?\.[*+]\$?\1\1[gsm]*|\$_\s*=\s*(?:\"\"|'')|undef \$_)?;?")


def _find_family(program: str) -> str:
    return re.sub(r"[0-9.]+$", "", program)


def _cut_at_script(call: Call) -> Call:
    """Returns the call without the arguments of its script or module."""
    before = ""
    for at, word in enumerate(call.args):
        if (before == "-m" and call.program.startswith(("python", "pypy"))) or (
            not word.startswith("-") and not before.startswith("-")
        ):
            return replace(call, args=call.args[:at])
        before = word
    return call


def only_checks_syntax(call: Call) -> bool:
    """Returns whether an interpreter only checks its script without running it."""
    options = {"php": "-l", "ruby": "-c", "perl": "-c", "node": "--check"}
    if call.program in SHELLS:
        return any(re.fullmatch(r"-[a-z]*n[a-z]*", word) for word in call.args)
    return call.has(options.get(_find_family(call.program), "--check")) or call.list_values("-m")[:1] in (
        ["py_compile"],
        ["ast"],
        ["tokenize"],
        ["dis"],
    )


def check_interpreter(call: Call) -> Iterator[str]:
    """An interpreter: the program that it runs."""
    family, command = _find_family(call.program), call.command
    if family in SHELLS and family not in ("pwsh", "powershell"):
        yield from _check_source(call)
        if command.body is not None and command.body.strip() == UNSEEN and _reads_program(call):
            yield "unread"
        return
    if family == "mix" and call.verb == "run":
        call = replace(call, args=tuple(word for word in call.args if word != "run"))
    codes = _cut_at_script(call).list_values(*_CODE_OPTIONS.get(family, ()))
    if family == "perl":
        codes += [
            word for before, word in zip(call.args, call.args[1:], strict=False) if re.fullmatch(r"-\w*[eE]", before)
        ]
    if family in ("pwsh", "powershell"):
        codes += [word for word in call.args if " " in word]
        if any(re.match(r"-e(?:nc|ncodedcommand)?$", word, re.IGNORECASE) for word in call.args):
            yield "download"
    if family == "deno":
        if call.verb == "eval":
            codes += call.names[1:]
        if any(word.startswith(("http://", "https://", "npm:", "jsr:")) for word in call.names[1:]) and call.verb in (
            "run",
            "install",
            "serve",
        ):
            yield "download"
    if family == "osascript" and call.args:
        yield "answers"
    if not codes and command.body is not None and _reads_program(call):
        codes.append(command.body)
        if command.body.strip() in ("", UNSEEN):
            yield "unread"
    source = command.source
    if not codes and source is not None and source.program in ("echo", "printf") and _reads_program(call):
        codes.append(" ".join(source.words[1:]))
    if family.startswith("python") and call.list_values("-m")[:1] in (["timeit"], ["pdb"], ["cProfile"]):
        codes += call.args
    if family == "perl" and call.has("-i") and any(_PERL_EMPTIES.fullmatch(each.strip()) for each in codes):
        yield "overwrite"
    for each in codes:
        yield from check_code(each)
        if each.startswith(("$", "`")):
            yield "download"
    if (
        family in ("node", "ruby", "perl")
        and call.has("-r", "--require", "--import", "--loader", "-I")
        and any("/tmp/" in word for word in call.args)
    ):
        yield "download"
    yield from _check_source(call)


def _check_source(call: Call) -> Iterator[str]:
    """Checks for a program from a pipe whose source does not print it literally."""
    source, command = call.command.source, call.command
    printed = (
        source is not None
        and source.program in ("echo", "printf")
        and not any("\\" in word or "$" in word for word in source.words)
    )
    if (source is not None and _reads_program(call) and not (printed and call.wrapper == "")) or (
        printed and call.program in SHELLS and _reads_program(call)
    ):
        yield "download"
    if any(word.startswith(("<(", "$(", "`")) for word in call.names[:1]):
        yield "download"
    if set(command.reads) - NULLS and _reads_program(call) and command.body is None:
        yield "download"


def _reads_program(call: Call) -> bool:
    """Returns whether an interpreter reads its program from its input."""
    shell = call.program in SHELLS
    for word in call.args:
        if word in ("-", "/dev/stdin", "-s") or (shell and word.startswith("-s")):
            return True
        if not word.startswith("-"):
            return False
        if not word.startswith("--") and set(word) & set("c" if shell else "cempnErR"):
            return False
        if word in ("--eval", "--print", "--version", "--help", "-V", "-v", "-h", "--check"):
            return False
    return True


def check_eval(call: Call) -> Iterator[str]:
    """`eval` and `source` with the output of another command."""
    text = " ".join(call.args)
    inner = call.command.inner
    trusted = bool(inner) and all(
        each.program in _TRUSTED or "completion" in each.words or "completions" in each.words
        for each in inner
        if each.words
    )
    if call.program == "eval" and ("$" in text or "`" in text) and not trusted:
        yield "download"
    if call.program in ("source", ".") and call.args:
        path = call.args[0]
        if (
            path.startswith(("<(", "$", "`"))
            and not trusted
            and not re.match(r"\$(?:HOME|\{HOME\}|NVM_DIR|PWD)/", path)
        ) or path.startswith(("/tmp/", "/dev/shm/", "/dev/stdin", "/dev/fd")):
            yield "download"


_TRUSTED = read_names("""
    ssh-agent brew direnv pyenv rbenv starship zoxide mise fnm opam minikube dircolors register-python-argcomplete
    luarocks nodenv keychain docker-machine conda asdf goenv atuin fzf
""")


def check_awk(call: Call) -> Iterator[str]:
    """`awk` that runs programs or writes files."""
    text = "\n".join(call.args)
    if _DELETES.search(text):
        yield "delete"
    if re.search(r"\bsystem\s*\(|\|\s*(?:getline|&|\"|[a-z]+\s*[;}])|\"\s*\|\s*getline|\|\s*\"", text):
        yield "download"
    if re.search(r"print[^;}\n]*>\s*(?:\"(?!/dev/std)|[A-Za-z_$])", text):
        yield "overwrite"


def check_editor(call: Call) -> Iterator[str]:
    """Editors with commands in their arguments."""
    texts = [word for word in call.args if word.startswith("+")] + call.list_values(
        "-c",
        "-sc",
        "-esc",
        "-Esc",
        "--cmd",
        "--eval",
        "-e",
        "-eval",
        "-S",
        "--remote-send",
        "--remote-expr",
        "-s",
        "-l",
        "--load",
        "--script",
    )
    if any(map(_DELETES.search, texts)):
        yield "delete"
    if any(
        re.search(
            r"!\s*\w|:?!|system\(|delete\(|shell-command|delete-file|call-process|writefile|\b%?d\b|normal|wq|\bw!|\bx\b",
            each,
        )
        for each in texts
    ):
        yield "download"
    if call.has("--remote-send", "--remote-expr", "--script", "-l", "-S"):
        yield "answers"
    if call.program in ("ed", "ex", "red") and (
        call.command.body or call.command.source is not None or call.command.reads
    ):
        yield "overwrite"


def check_pipe_shell(call: Call) -> Iterator[str]:
    """`xargs` that runs a shell or an interpreter on its input."""
    rest = list(call.args)
    if any(INTERPRETER.fullmatch(word.rpartition("/")[2]) for word in rest) and (call.has("-c") or "{}" in rest):
        yield "download"


def check_expect(call: Call) -> Iterator[str]:
    """`expect`, which types into programs."""
    if call.args:
        yield "answers"


def check_debugger(call: Call) -> Iterator[str]:
    """Debuggers that run commands or attach to processes."""
    told = call.list_values("-ex", "--eval-command", "-o")
    if {"-p", "--pid", "-x", "--attach-pid"} & set(call.args) or not all(map(_DEBUGGER_READS.match, told)):
        yield "download"


_DEBUGGER_READS = re.compile(
    r"(?:bt|backtrace|where|info|frame|list|print|x/|thread apply all (?:bt|backtrace)|thread backtrace|disas|quit|q"
    r"|set pagination|show|run|r)\b"
)


_INTERPRETERS = (
    *SHELLS,
    *_CODE_OPTIONS,
    *(f"python{each}" for each in ("2", "3", "2.7", *(f"3.{minor}" for minor in range(6, 20)))),
    *("pypy3", "perl5", "php7", "php8", "lua5.1", "lua5.3", "lua5.4"),
)
CHECKS = {
    **dict.fromkeys(_INTERPRETERS, check_interpreter),
    **assign_check(check_eval, "eval source ."),
    **assign_check(check_awk, "awk gawk mawk nawk"),
    **assign_check(check_editor, "vi vim nvim ex ed red emacs emacsclient view gvim"),
    **assign_check(check_pipe_shell, "xargs gxargs parallel"),
    "expect": check_expect,
    **assign_check(check_debugger, "gdb lldb strace gcore jmap jattach"),
}
