"""The command line: one file per command of `atm-tui`, the table of commands, and exit codes."""
