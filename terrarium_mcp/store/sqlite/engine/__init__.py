"""The SQLite file itself: connections, transactions, locks, SQL functions, errors."""
