"""Writes step 2 of the install wizard: the options, and for each event whether Claude Code waits for our hook."""

from dataclasses import dataclass, replace

from atm_tui.settings.options import (
    ANSWER_TIMEOUT,
    ANSWERS_MEAN,
    EVENTS,
    LEAN_LOSS,
    SYNC_TIMEOUT,
    TEAMS_VARIABLE,
    EventRule,
    EventSet,
    Options,
    Route,
)
from atm_tui.text import fit_width
from atm_tui.view.list_line import ListLine, make_list_line
from atm_tui.view.wizard_text import write_paragraph

NAME = 20
VALUE = 10
"""Cells of each of these columns."""
LEAN = sum(rule.lean for rule in EVENTS)


@dataclass(frozen=True, slots=True)
class Choice:
    """An option with its value. `brief`: its meaning, on its line; `about`: the same in full, below the list."""

    name: str
    value: str
    brief: str
    about: str


def list_choices(options: Options) -> list[Choice]:
    """Returns the options above the events."""
    is_full, is_plugin = options.events is EventSet.FULL, options.route is Route.PLUGIN
    line = {
        None: "yours runs inside it; not in a shared file",
        True: "in a project's shared file too",
        False: "costs and context from transcripts, no limits",
    }[options.statusline]
    return [
        Choice(
            "events",
            options.events.value,
            f"all {len(EVENTS)} events" if is_full else f"{LEAN} events, without the tools",
            "Every event is the default: each costs a few milliseconds, and tools are not kept waiting."
            if is_full
            else LEAN_LOSS,
        ),
        Choice(
            "statusLine",
            {None: "on", True: "everywhere", False: "off"}[options.statusline],
            line,
            "Claude Code passes to a statusLine what a session costs, how full its context is and what is left of your "
            "limits. Your own line still gets the same input, and what it prints is shown unchanged.",
        ),
        Choice(
            "agent teams",
            "on" if options.agent_teams else "off",
            "an experiment of Claude Code",
            f"Sets {TEAMS_VARIABLE} in the file's env, where it is not set already. Off changes nothing.",
        ),
        Choice(
            "tmux",
            "on" if options.tmux else "off",
            "pane options, for a status line of tmux",
            "The hook also writes its state into options @meta.claude.* of the session's tmux pane. "
            "Costs one more program at each event; off unless you read them.",
        ),
        Choice(
            "route",
            options.route.value,
            "a plugin that you enable yourself" if is_plugin else "hooks in the settings file",
            "A plugin keeps the hooks out of the settings file; you enable it in Claude Code, which the last step shows."
            if is_plugin
            else "The hooks stand in the settings file itself, marked as ours. The other way is a plugin.",
        ),
        Choice(
            "answering",
            {None: "as it is", True: "on", False: "off"}[options.answers],
            {
                None: "off, unless you switched it on before",
                True: "permission requests, from atm-tui too",
                False: "permission requests only in their own dialog",
            }[options.answers],
            ANSWERS_MEAN,
        ),
        Choice(
            "notifier",
            "on" if options.notify else "off",
            "notifications while atm-tui does not run",
            "Where a session may need you, fails or finishes, the hook starts `atm-tui notify` and does not wait for it. "
            "The configuration says how it notifies you: by the bell, unless you change that.",
        ),
    ]


def toggle_choice(options: Options, name: str) -> Options:
    """Returns the options with the next value of one of them; `name` may be an event's."""
    match name:
        case "events":
            return replace(options, events=EventSet.LEAN if options.events is EventSet.FULL else EventSet.FULL)
        case "statusLine":
            order: list[bool | None] = [None, False, True]
            return replace(options, statusline=order[(order.index(options.statusline) + 1) % 3])
        case "agent teams":
            return replace(options, agent_teams=not options.agent_teams)
        case "tmux":
            return replace(options, tmux=not options.tmux)
        case "notifier":
            return replace(options, notify=not options.notify)
        case "route":
            return replace(options, route=Route.PLUGIN if options.route is Route.SETTINGS else Route.SETTINGS)
        case "answering":
            return replace(options, answers=not options.answers)
    rule = next(each for each in EVENTS if each.name == name)
    if options.waits_for_answer(rule):  # Claude Code ignores the output of a hook that it does not wait for
        return options
    is_sync = options.is_sync(rule)
    sync, async_ = options.sync - {name}, options.async_ - {name}
    if is_sync and rule.sync:
        async_ |= {name}
    elif not is_sync and not rule.sync:
        sync |= {name}
    return replace(options, sync=sync, async_=async_)


def write_options(_: int, *, options: Options) -> list[ListLine]:
    """Writes a line for each option, then one for each event."""
    result = []
    for each in list_choices(options):
        role = "muted" if each.value in ("off", "as it is") else "key"
        result.append(
            make_list_line(
                (fit_width(each.name, NAME), "strong"),
                (fit_width(each.value, VALUE), role),
                (each.brief, "muted"),
                key=each.name,
            )
        )
    head = (fit_width("EVENT", NAME), "faint"), (fit_width("CLAUDE", VALUE), "faint"), ("WHY", "faint")
    result += [make_list_line(), make_list_line(*head)]
    registered = {rule.name for rule in options.list_rules()}
    for rule in EVENTS:
        if rule.name not in registered:
            parts = (
                (fit_width(rule.name, NAME), "faint"),
                (fit_width("–", VALUE), "faint"),
                ("not with lean events", "faint"),
            )
        else:
            waits = options.is_sync(rule)
            own = waits != rule.sync
            value = (fit_width("waits" if waits else "goes on", VALUE), "key" if own else "plain" if waits else "muted")
            parts = (
                (fit_width(rule.name, NAME), "plain"),
                value,
                ("your choice" if own else rule.why, "key" if own else "muted"),
            )
        result.append(make_list_line(*parts, key=rule.name))
    return result


def write_meaning(width: int, *, options: Options, name: str) -> list[ListLine]:
    """Writes the full meaning of an option or event."""
    for each in list_choices(options):
        if each.name == name:
            return write_paragraph(each.about, width, "muted")
    rule = next((each for each in EVENTS if each.name == name), None)
    return write_paragraph(_describe_event(rule, options), width, "muted") if rule else []


def _describe_event(rule: EventRule, options: Options) -> str:
    default = "waits" if rule.sync else "goes on"
    said = f"By default Claude Code {default}: {rule.why}."
    if rule.name not in {each.name for each in options.list_rules()}:
        return f"Not registered with lean events. {said}"
    if options.waits_for_answer(rule):
        return (
            "Claude Code shows its dialog and takes our hook's answer, if you give one first. The hook waits while "
            f"atm-tui is armed, {ANSWER_TIMEOUT} s at most; otherwise a few hundredths of a second."
        )
    if options.is_sync(rule):
        return f"Claude Code waits for our hook here, {SYNC_TIMEOUT} s at most, usually a few hundredths of a second. {said}"
    return f"Claude Code goes on while our hook runs. {said}"
