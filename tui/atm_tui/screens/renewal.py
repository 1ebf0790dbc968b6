"""Replaces the fleet screen by one for another configuration, which looks at the same things."""

from typing import Any

from textual.app import App

from atm_tui.model.fleet import Delta
from atm_tui.screens.fleet import FleetScreen


async def renew_fleet_screen(app: App[Any], old: FleetScreen, new: FleetScreen) -> None:
    """Shows `new` in place of `old`, the only screen of the app: the same view, folds, filter, order, selection and undo."""
    view, key, tree_key = old.view.VIEW, old.view.key, old.tree_view.key
    text = old.visible_sessions.filter.text
    new.visible_sessions.order = old.visible_sessions.order
    new.visible_sessions.is_reversed = old.visible_sessions.is_reversed
    new.visible_sessions.marked = old.visible_sessions.marked
    new.flags.take_over(old.flags)
    new.tree_view.session_tree.toggled = set(old.tree_view.session_tree.toggled)
    if not old._result_callbacks:  # noqa: SLF001  the app's first screen has none, and Textual drops one
        old._push_result_callback(app.screen, None)  # noqa: SLF001
    with app.batch_update():
        await app.switch_screen(new)
        if not new.tree_view.is_attached:  # the app is being closed
            return
        if text:
            await new.filtering.restore(text)
            new._focus_view()  # noqa: SLF001
        new.visible_sessions.rank()
        new.handle_fleet_change(Delta())
        if tree_key is not None:
            new.tree_view.select(tree_key, by_user=True)
        await new.show_view(view)
        if key is not None:
            new.view.select(key, by_user=True)
