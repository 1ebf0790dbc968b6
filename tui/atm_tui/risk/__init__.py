"""What is risky in a request, so that a yes to it is asked for twice."""
