"""`atm-tui demo`: recorded sessions, replayed through the real hook code into a temporary folder."""
