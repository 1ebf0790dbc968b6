"""What counts as an entry of ours in a settings file."""

import pytest

from atm_tui.settings.document import Document
from atm_tui.settings.editing import has_ours

HOOK = b'{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "python3 -I hook.py # atm-tui"}]}]}}'
LINE = b'{"statusLine": {"type": "command", "command": "python3 -I line.py # atm-tui"}}'


@pytest.mark.parametrize("text", [HOOK, LINE, HOOK.replace(b'"hooks": [{"type"', b'"matcher": "x", "hooks": [{"type"')])
def test_a_command_with_our_mark_is_ours(text: bytes) -> None:
    assert has_ours(Document(text).root, {})
    assert not has_ours(Document(text.replace(b"# atm-tui", b"")).root, {})


def test_variables_are_ours_if_the_receipt_lists_them() -> None:
    root = Document(b'{"env": {"A": "1"}}').root
    assert not has_ours(root, {})
    assert not has_ours(root, {"hooks": None})
    assert has_ours(root, {"env.A": None})
