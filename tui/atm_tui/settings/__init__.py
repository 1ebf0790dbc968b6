"""The installer: edits in place, pure plans, one writer."""
