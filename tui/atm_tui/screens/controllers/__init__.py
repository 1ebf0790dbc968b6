"""Plain objects that a screen holds: each carries out some of its commands, and is no screen itself."""
