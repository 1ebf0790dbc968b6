"""The line of the documentation by which a person picks a session with fzf and goes there."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.jump_harness import JumpHarness
from tests.support.jumping import CAT, TmuxWorkspace
from tests.support.needs import need_fzf, need_tmux
from tests.support.waiting import wait_until

DOCS = Path(__file__).parents[2] / "docs" / "commands.md"
SHOP, BLOG = "aaaa1111-0000-4000-8000-000000000000", "aaaa2222-0000-4000-8000-000000000000"


@pytest.fixture
def harness(terminal_env: dict[str, str]) -> Iterator[JumpHarness]:
    programs = f"{Path(sys.executable).parent}:{Path(need_fzf()).parent}"
    workspace = TmuxWorkspace(need_tmux(), {**terminal_env, "PATH": f"{programs}:{terminal_env['PATH']}"})
    yield JumpHarness(workspace)
    workspace.close()


def test_the_documented_line_goes_to_the_picked_session(harness: JumpHarness) -> None:
    [line] = re.findall(r"^atm-tui list \| fzf .*$", DOCS.read_text("utf-8"), re.MULTILINE)
    inner = harness.workspace.inner
    shop, blog = inner.start(CAT), inner.start(CAT)
    harness.write_state(SHOP, shop, title="the shop")
    harness.write_state(BLOG, blog, title="the blog")
    picker = inner.start(["sh", "-c", line])
    mine = harness.workspace.attach_client(picker.target)
    mine.wait_for(r"the shop[^\n]*")
    mine.wait_for(r"│ .*\b(idle|needs|working)")
    picker.type_text("blog")
    mine.wait_for(r"^ *1/2")
    picker.press_keys("Enter")
    wait_until(lambda: harness.workspace.read_shown_pane(mine).endswith(blog.target), "the jump to the picked session")
