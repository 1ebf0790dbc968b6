"""What the app follows: live sessions or a recording, read, resolved and kept as a fleet."""
