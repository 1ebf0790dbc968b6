"""Opens and reads the dialog that shows a request, in the app under test."""

import re
from typing import Any

from atm_tui.screens.fleet import FleetScreen
from atm_tui.screens.request import RequestScreen
from tests.support.answering import WaitingHook
from tests.support.app_answers import AskingSession
from tests.support.app_files import AppDriver

STEPS = "\n".join(f"step {number}" for number in range(60))


async def open_dialog(asking_session: AskingSession, app: AppDriver, key: str = "w") -> None:
    """The dialog is on the screen, and has been for a while."""
    await app.wait_until(lambda: app.app._monitor.fleet.requests)  # type: ignore[attr-defined]
    await app.wait_for_text("d deny")
    await app.press("w" if key == "w" and "w from" in app.text else "d")
    await app.wait_until(lambda: isinstance(app.app.screen, RequestScreen))
    await app.press("escape")
    await app.wait_until(lambda: isinstance(app.app.screen, RequestScreen))
    asking_session.settle()


def count_unseen(app: AppDriver) -> int:
    """How many lines are not seen yet, as the dialog says."""
    found = re.search(r"(\d+) lines? not seen yet", app.text)
    assert found
    return int(found[1])


async def wait_for_answer(app: AppDriver, hook: WaitingHook) -> dict[str, Any]:
    """What the client is told once the dialog is closed."""
    await app.wait_until(lambda: isinstance(app.app.screen, FleetScreen))
    return hook.decision()
