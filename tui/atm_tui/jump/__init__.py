"""From a session to its pane: one file per terminal; `plan` picks one and says what would happen, `run` does it."""
