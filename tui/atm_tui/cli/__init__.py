"""The command line: one file for each command of `atm-tui`, the table of commands, and exit codes."""
