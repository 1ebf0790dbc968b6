"""What is true of sessions: frozen structs and pure functions."""
