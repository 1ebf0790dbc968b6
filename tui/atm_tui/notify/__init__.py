"""Notifications: what is worth one, and the ways by which it reaches the user."""
