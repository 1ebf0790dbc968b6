"""A line of the history: its columns, and what stands between them."""

import re

from atm_tui.model.session import Liveness, Project, Session
from atm_tui.monitor.past import PastSession
from atm_tui.view.history_row import write_entry
from atm_tui.view.present import UNICODE

SESSION = Session(session_id="a", project=Project(name="shop"), liveness=Liveness.ENDED)


def write(width: int, number: str = "", project: int = 20, prompt: str = "") -> str:
    entry = PastSession(session=SESSION, at=1000.0, title="fix " * 40, prompt=prompt)
    parts = write_entry(entry, width, 1060.0, UNICODE, (), cursor=False, number=number, project=project)
    return "".join(text for text, _ in parts)


def test_the_number_stands_off_the_sign() -> None:
    assert write(80, number="2").startswith("2 · fix")
    assert write(80).startswith("  · fix")


def test_the_column_of_projects_is_as_wide_as_the_widest_name() -> None:
    for width in (60, 80):
        assert len(write(width, project=4)) == width
        assert re.search(r"… +shop {2,10}–", write(width, project=4)), write(width, project=4)
        assert re.search(r"… +shop {12,}", write(width, project=30)), write(width, project=30)
