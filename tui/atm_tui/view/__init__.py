"""From values to text: rows, cells, lines and panes, without a screen."""
