"""The hook, which runs inside Claude Code: it records events and folds them into states. Standard library only."""
