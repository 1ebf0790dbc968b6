"""The installer: edits Claude Code's settings files in place, and checks them."""
