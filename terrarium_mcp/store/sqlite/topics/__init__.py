"""What is read from the history, one topic per file."""
