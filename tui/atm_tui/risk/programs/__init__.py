"""Checks for dangerous arguments: one file for each kind of program, each with a table from names to checks."""
