"""The words for sessions that are hidden by their kind."""

from atm_tui.view.hidden_kinds import format_hidden


def test_both_directions_name_the_kinds() -> None:
    assert format_hidden({"bg", "headless"}, 3, "V") == "headless and bg sessions are hidden (3); V shows them"
    assert format_hidden({"sdk"}, None, "V") == "sdk sessions are shown"
