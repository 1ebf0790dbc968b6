"""The words for sessions that are hidden by their kind."""

from atm_tui.view.hidden_kinds import format_hidden


def test_both_directions_name_the_kinds() -> None:
    assert format_hidden({"bg", "headless"}, 3) == "headless and bg sessions are hidden (3); v shows them"
    assert format_hidden({"sdk"}, None) == "sdk sessions are shown"
