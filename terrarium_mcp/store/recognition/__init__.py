"""Recognition: which lines of a log are stored already, however many programs wrote them. Pure."""
