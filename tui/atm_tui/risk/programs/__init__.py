"""What is dangerous in the arguments of a program: one file per kind of program, each a table from names to checks."""
