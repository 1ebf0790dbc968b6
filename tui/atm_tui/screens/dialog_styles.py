"""Parses the style sheet of the dialogs once the app has started: the first frame needs none of it."""

from pathlib import Path

from textual.app import App

STYLES = Path(__file__).with_name("dialogs.tcss")
"""The style sheet that the dialogs name, too: a dialog that opens before `load_dialog_styles` is complete."""


def load_dialog_styles(app: App[None]) -> None:
    """Parses it, so that the first dialog opens without delay. Does nothing if a dialog has been open already."""
    sheet = app.stylesheet
    if not sheet.has_source(str(STYLES)):
        sheet.read(STYLES)
        sheet.parse()
