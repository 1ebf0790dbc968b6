"""Work of a session on disk, and the panes beside the tree that show it."""

from atm_tui.widgets.scroll_pane import ScrollPane
from tests.support.app_files import AppDriver, HomeOnDisk
from tests.support.session_ids import A

LONG = (
    "Bring 日本語の翻訳 and the English pages back in line, one after the other, and say of each what you changed in it"
)


def record_tool(
    disk: HomeOnDisk, session: str, ago: float, name: str, given: dict[str, object], took: float, **more: object
) -> None:
    key = f"t{ago}"
    disk.send_hook(ago, "PreToolUse", session, tool_name=name, tool_input=given, tool_use_id=key, **more)
    disk.send_hook(ago - took, "PostToolUse", session, tool_name=name, tool_input=given, tool_use_id=key, **more)


def record_work(disk: HomeOnDisk, session: str = A) -> None:
    """A session that read, edited and wrote files, failed once, was waited for, and has tasks."""
    disk.send_hook(500, "SessionStart", session, source="startup")
    disk.send_hook(490, "UserPromptSubmit", session, prompt=LONG, prompt_id="p1")
    record_tool(disk, session, 480, "Read", {"file_path": f"{disk.work}/notes.md"}, 0.4)
    record_tool(disk, session, 470, "Edit", {"file_path": f"{disk.work}/src/page.py"}, 1.0)
    record_tool(disk, session, 460, "Write", {"file_path": f"{disk.work}/src/new.py"}, 1.0)
    for number, subject in enumerate(("Read the pages", "Translate them", "Say what changed")):
        disk.send_hook(450, "TaskCreated", session, task_id=str(number), task_subject=subject)
    disk.send_hook(440, "TaskCompleted", session, task_id="0", task_subject="Read the pages")
    disk.ask(session, 430, {"command": "make pages"})
    key = "t430"
    disk.send_hook(
        390,
        "PostToolUseFailure",
        session,
        tool_name="Bash",
        tool_input={"command": "make pages"},
        tool_use_id=key,
        error="No rule to make target pages",
    )


def read_column(app: AppDriver) -> list[str]:
    """What stands right of the line beside the tree, without the line."""
    return [line[max(line.rfind("│"), line.rfind("├"), line.rfind("┬")) + 1 :].strip() for line in app.lines[1:-1]]


def find_focused(app: AppDriver) -> str:
    """The pane that has the focus; empty is the tree."""
    focused = app.app.focused
    return focused.content.name if isinstance(focused, ScrollPane) else ""


async def wait_until_ready(app: AppDriver) -> None:
    await app.wait_until(lambda: "reading" not in app.text)


def get_pane(app: AppDriver, name: str) -> ScrollPane:
    return app.app.screen_stack[0].query_one(f"#pane-{name}", ScrollPane)
