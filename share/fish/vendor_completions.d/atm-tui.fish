# Completion of atm-tui for fish.
atm-tui completion fish | source
