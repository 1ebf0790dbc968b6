"""Controllers: plain objects that carry out commands of a screen."""
