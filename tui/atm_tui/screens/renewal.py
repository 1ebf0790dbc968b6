"""Replaces the fleet screen by one for another configuration, which looks at the same things."""

from typing import Any

from textual.app import App

from atm_tui.model.fleet import Delta
from atm_tui.screens.fleet import FleetScreen
from atm_tui.widgets.line_list import LineList

MODES = ("fleet", "fleet again")
"""Textual's names for the stack of screens with the new screen at its bottom; the first screen of the app is in neither."""


async def renew_fleet_screen(app: App[Any], old: FleetScreen, new: FleetScreen) -> None:
    """Shows `new` in place of `old`, the only screen of the app: the same view, folds, filter, order, selection, focus, zoom,
    scroll positions and undo.
    """
    view, tree_key = old.view, old.tree_view.key
    key, text, is_typing = view.key, old.visible_sessions.filter.text, old.filtering.is_typing
    tops = {each.id: each.scroll_offset.y for each in view.query(LineList) if each.id and each.scroll_offset.y}
    new.visible_sessions.order = old.visible_sessions.order
    new.visible_sessions.is_reversed = old.visible_sessions.is_reversed
    new.visible_sessions.marked = old.visible_sessions.marked
    new.flags.take_over(old.flags)
    new.panes.take_over(old.panes)
    new.prepare_view(view.VIEW).take_over(view)
    new.tree_view.session_tree.toggled = set(old.tree_view.session_tree.toggled)
    with app.batch_update():
        if not await _put_in_place(app, old, new):
            return
        if text or is_typing:
            await new.filtering.restore(text)
        new.visible_sessions.rank()
        new.handle_fleet_change(Delta())
        if tree_key is not None:
            new.tree_view.select(tree_key, by_user=True)
        new.panes.stay_at(old.panes, tree_key)
        await new.show_view(view.VIEW)
        if key is not None:
            new.view.select(key, by_user=True)
        if is_typing:
            await new.filtering.open()
        elif text:
            new.set_focus(new.view.list_widget)
        new.panes.take_focus(old.panes)
    new.call_after_refresh(_scroll, new, tops)


async def _put_in_place(app: App[Any], old: FleetScreen, new: FleetScreen) -> bool:
    """Returns whether it is shown: it is not when the app is being closed, which goes through the stacks of screens."""
    before = app.current_mode
    mode = next(each for each in MODES if each != before)
    if not app.is_running:
        return False
    app.add_mode(mode, lambda: new)
    await app.switch_mode(mode)
    if not app.is_running:
        return False
    await (app.remove_mode(before) if before in MODES else old.remove())
    return new.tree_view.is_attached


def _scroll(screen: FleetScreen, tops: dict[str, int]) -> None:
    """Scrolls the lists of the view; `tops`: by id, the first line that was in view."""
    for each in screen.view.query(LineList):
        if each.id in tops:
            each.scroll_to(y=tops[each.id], animate=False)
