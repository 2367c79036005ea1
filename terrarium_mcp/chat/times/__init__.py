"""Times: timestamps of the store, dates in queries, times named in questions, times of old logs.

- timestamps: moments as the store has them; legacy_times: those of a terrarium-irc database
- periods: the calendar periods that a stretch of time touches; hours_of_day: counts by hour in
  another zone; patterns: how the patterns of all these are compiled
- named_days: the words that name days; dated_days, relative_days, day_ranges, seasons, feasts: how
  they are read; times_alone: words that are a time only where nothing else is asked
- nested_days: days named inside a longer time; parts_of_day, clock_times: hours beside a day;
  recent_hours: hours up to now; iso_moments: moments as programs write them
- time_expressions: times that a question mentions; joined_times: what `from`, `until` and the like
  make of them; open_times: what lies between two of them; yearless_times: those of every year, said
  without one; query_dates: times typed into a query; foreign_words: times named in other
  languages, for a note
"""
