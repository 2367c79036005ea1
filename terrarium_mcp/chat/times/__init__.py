"""Times: timestamps of the store, dates in queries, times named in questions, times of old logs."""
