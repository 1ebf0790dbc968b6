"""The table of commands. Each is imported only when it runs, by an import statement that tools can follow."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from atm_tui.cli.exit_codes import ALWAYS, ExitCode

if TYPE_CHECKING:
    from argparse import ArgumentParser

FINDS = (ExitCode.NOT_FOUND, ExitCode.SEVERAL)
"""Further exit codes of commands that take an ID."""
JUMPS = (ExitCode.NOT_POSSIBLE, ExitCode.PROGRAM_FAILED, ExitCode.DECLINED)
"""Further exit codes of commands that go to a terminal."""
SCREEN = (ExitCode.HANGUP, ExitCode.TERMINATED)
"""Further exit codes of commands that open a screen."""


class Code:
    """The functions of an imported command."""

    def __init__(self, add_arguments: "Callable[[ArgumentParser], None]", run: Callable[..., int]) -> None:
        """`run` takes the arguments and, where the command needs one, a LiveMonitor; it returns the exit code."""
        self.add_arguments = add_arguments
        self.run = run


class Command:
    """A command: its line in the help, and the function that imports its code."""

    def __init__(
        self,
        help: str,  # noqa: A002  as argparse calls it
        load: Callable[[], Code],
        *,
        needs_monitor: bool = False,
        exits: tuple[ExitCode, ...] = (),
        notes: str = "",
    ) -> None:
        """`exits`: exit codes besides those of every command. `notes`: what the help says after the options."""
        self.help = help
        self.load = load
        self.needs_monitor = needs_monitor
        self.exits = exits
        self.notes = notes

    @property
    def exit_codes(self) -> tuple[ExitCode, ...]:
        """All its exit codes."""
        return (*ALWAYS, *self.exits)


def _load_status() -> Code:
    from atm_tui.cli.status import add_status_arguments, run_status

    return Code(add_status_arguments, run_status)


def _load_list() -> Code:
    from atm_tui.cli.list import add_list_arguments, run_list

    return Code(add_list_arguments, run_list)


def _load_watch() -> Code:
    from atm_tui.cli.watch import add_watch_arguments, run_watch

    return Code(add_watch_arguments, run_watch)


def _load_stream() -> Code:
    from atm_tui.cli.stream import add_stream_arguments, run_stream

    return Code(add_stream_arguments, run_stream)


def _load_publish() -> Code:
    from atm_tui.cli.publish import add_publish_arguments, run_publish

    return Code(add_publish_arguments, run_publish)


def _load_hosts() -> Code:
    from atm_tui.cli.hosts import add_hosts_arguments, run_hosts

    return Code(add_hosts_arguments, run_hosts)


def _load_wait() -> Code:
    from atm_tui.cli.wait import add_wait_arguments, run_wait

    return Code(add_wait_arguments, run_wait)


def _load_statusline() -> Code:
    from atm_tui.cli.statusline import add_statusline_arguments, run_statusline

    return Code(add_statusline_arguments, run_statusline)


def _load_jump() -> Code:
    from atm_tui.cli.jump import add_jump_arguments, run_jump

    return Code(add_jump_arguments, run_jump)


def _load_next() -> Code:
    from atm_tui.cli.next import add_next_arguments, run_next

    return Code(add_next_arguments, run_next)


def _load_answer() -> Code:
    from atm_tui.cli.answer import add_answer_arguments, run_answer

    return Code(add_answer_arguments, run_answer)


def _load_answers() -> Code:
    from atm_tui.cli.answers import add_answers_arguments, run_answers

    return Code(add_answers_arguments, run_answers)


def _load_resume() -> Code:
    from atm_tui.cli.resume import add_resume_arguments, run_resume

    return Code(add_resume_arguments, run_resume)


def _load_explain() -> Code:
    from atm_tui.cli.explain import add_explain_arguments, run_explain

    return Code(add_explain_arguments, run_explain)


def _load_replay() -> Code:
    from atm_tui.cli.replay import add_replay_arguments, run_replay

    return Code(add_replay_arguments, run_replay)


def _load_report() -> Code:
    from atm_tui.cli.report import add_report_arguments, run_report

    return Code(add_report_arguments, run_report)


def _load_demo() -> Code:
    from atm_tui.cli.demo import add_demo_arguments, run_demo

    return Code(add_demo_arguments, run_demo)


def _load_tmux_conf() -> Code:
    from atm_tui.cli.tmux_conf import add_tmux_conf_arguments, run_tmux_conf

    return Code(add_tmux_conf_arguments, run_tmux_conf)


def _load_install() -> Code:
    from atm_tui.cli.install import add_install_arguments, run_install

    return Code(add_install_arguments, run_install)


def _load_uninstall() -> Code:
    from atm_tui.cli.uninstall import add_uninstall_arguments, run_uninstall

    return Code(add_uninstall_arguments, run_uninstall)


def _load_purge() -> Code:
    from atm_tui.cli.purge import add_purge_arguments, run_purge

    return Code(add_purge_arguments, run_purge)


def _load_doctor() -> Code:
    from atm_tui.cli.doctor import add_doctor_arguments, run_doctor

    return Code(add_doctor_arguments, run_doctor)


def _load_config() -> Code:
    from atm_tui.cli.config import add_config_arguments, run_config

    return Code(add_config_arguments, run_config)


def _load_mute() -> Code:
    from atm_tui.cli.mute import add_mute_arguments, run_mute

    return Code(add_mute_arguments, run_mute)


def _load_serve() -> Code:
    from atm_tui.cli.serve import add_serve_arguments, run_serve

    return Code(add_serve_arguments, run_serve)


def _load_notify() -> Code:
    from atm_tui.cli.notify import add_notify_arguments, run_notify

    return Code(add_notify_arguments, run_notify)


def _load_man() -> Code:
    from atm_tui.cli.man import add_man_arguments, run_man

    return Code(add_man_arguments, run_man)


def _load_completion() -> Code:
    from atm_tui.cli.completion import add_completion_arguments, run_completion

    return Code(add_completion_arguments, run_completion)


def _load_usage() -> Code:
    from atm_tui.cli.usage import add_usage_arguments, run_usage

    return Code(add_usage_arguments, run_usage)


_ANSWER_NOTES = """An answer counts only for the request that was shown. Without a terminal, give the answer and --yes;
what looks dangerous takes --yes twice, and a person at a terminal. From what an agent starts, no answer is taken.

--choose takes one argument per question, in their order: the number or label of an option, several numbers
separated by commas where several can be chosen, or =TEXT for your own words.

With --host NAME before the command, requests of that machine as well, while something is armed there."""

_WAIT_NOTES = (
    """What is already so when the command starts counts. It prints the ids of the sessions that were waited for."""
)

_STATUSLINE_NOTES = """Without --preview it prints the command that install adds where there is no statusLine, for a script
of your own that passes its stdin on. That command takes --no-color and --no-unicode too, and --width CELLS."""

_PURGE_NOTES = """Without --all: the sessions that do not run, and the cache. It shows how much it would remove, and asks.
Your configuration and Claude Code's own files always stay."""

_COMPLETION_NOTES = """bash: eval "$(atm-tui completion bash)" in ~/.bashrc
zsh:  eval "$(atm-tui completion zsh)" in ~/.zshrc, after compinit
fish: atm-tui completion fish | source in ~/.config/fish/config.fish"""

_CONFIG_NOTES = """VALUE is TOML, as in the file; a text needs no quotes, and one value may stand for a list. Comments, order and
spelling of the rest of the file stay. Without arguments, all keys are listed with their values and where these come from."""

COMMANDS = {
    "status": Command(
        "list the sessions as a table, as JSON, or as you like", _load_status, needs_monitor=True, exits=FINDS
    ),
    "list": Command(
        "print a line for each session, for programs to pick from", _load_list, needs_monitor=True, exits=FINDS
    ),
    "watch": Command("print a line for each change from now on", _load_watch, needs_monitor=True, exits=FINDS),
    "stream": Command("print all sessions, then each change, for another atm-tui", _load_stream, needs_monitor=True),
    "hosts": Command("list other machines, try the links to them, and say what is missing there", _load_hosts),
    "publish": Command(
        "publish the sessions of this machine through a NATS server",
        _load_publish,
        needs_monitor=True,
        exits=(ExitCode.NOT_POSSIBLE,),
    ),
    "wait": Command(
        "wait until sessions need you, are idle or have ended",
        _load_wait,
        needs_monitor=True,
        exits=(*FINDS, ExitCode.SESSION_ENDED, ExitCode.TIMED_OUT),
        notes=_WAIT_NOTES,
    ),
    "statusline": Command(
        "show our line in Claude Code for the running sessions, or its command",
        _load_statusline,
        needs_monitor=True,
        exits=FINDS,
        notes=_STATUSLINE_NOTES,
    ),
    "jump": Command("go to the terminal of a session", _load_jump, needs_monitor=True, exits=FINDS + JUMPS),
    "next": Command(
        "go to the session that has waited for you longest",
        _load_next,
        needs_monitor=True,
        exits=(ExitCode.NOT_FOUND, *JUMPS),
    ),
    "answer": Command(
        "show the request of a session and answer it",
        _load_answer,
        needs_monitor=True,
        exits=(*FINDS, ExitCode.NOT_POSSIBLE, ExitCode.DECLINED, ExitCode.ANSWERED_ELSEWHERE, ExitCode.NO_PERSON),
        notes=_ANSWER_NOTES,
    ),
    "answers": Command("list the answers given from here, with their outcomes", _load_answers),
    "resume": Command("resume a session in its own directory", _load_resume, needs_monitor=True, exits=FINDS + JUMPS),
    "explain": Command("explain the status of a session", _load_explain, needs_monitor=True, exits=FINDS),
    "replay": Command(
        "play what was recorded of a session, with a time slider",
        _load_replay,
        needs_monitor=True,
        exits=FINDS + SCREEN,
    ),
    "report": Command(
        "make a redacted bundle for a bug report", _load_report, needs_monitor=True, exits=(*FINDS, ExitCode.DECLINED)
    ),
    "notify": Command("give the notifications that are due, then end; hooks run it", _load_notify, needs_monitor=True),
    "mute": Command("mute notifications for some time, or end that", _load_mute),
    "serve": Command("show the monitor in a browser", _load_serve, exits=(ExitCode.NOT_POSSIBLE,)),
    "demo": Command("open the monitor on recorded sessions; touches nothing of yours", _load_demo, exits=SCREEN),
    "install": Command("add the hooks to Claude Code's settings", _load_install, exits=(ExitCode.DECLINED, *SCREEN)),
    "uninstall": Command("remove what install added, and nothing else", _load_uninstall, exits=(ExitCode.DECLINED,)),
    "purge": Command(
        "remove what is stored about sessions, or everything",
        _load_purge,
        needs_monitor=True,
        exits=(ExitCode.DECLINED,),
        notes=_PURGE_NOTES,
    ),
    "tmux-conf": Command("print a tmux configuration, or add it to yours", _load_tmux_conf),
    "doctor": Command("check settings, hooks and folders, and suggest fixes", _load_doctor),
    "completion": Command(
        "print the script that completes atm-tui in your shell", _load_completion, notes=_COMPLETION_NOTES
    ),
    "man": Command("show the man page", _load_man, exits=(ExitCode.PROGRAM_FAILED,)),
    "config": Command(
        "list, check, change or edit the configuration",
        _load_config,
        exits=(ExitCode.PROGRAM_FAILED,),
        notes=_CONFIG_NOTES,
    ),
    "usage": Command("show costs by day, project and model", _load_usage),
}
