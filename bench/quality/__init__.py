"""Does the search find the right line, and the right conversation? A harness elsewhere asks."""
