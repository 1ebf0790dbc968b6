"""Notifications: which conditions give one, and how it reaches the user."""
