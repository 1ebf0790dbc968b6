"""What happened: events of the journals, timeline entries, waits and the time waited."""
