"""What is true: frozen structs and pure functions. Never imports textual."""
