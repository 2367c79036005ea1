"""English: what search knows of its words, and the names of its calendar.

Text in other languages is searched word by word, and none of this gets in its way.

- words: stop words, other forms of a word, and related words; the word lists are the text files
  beside it
- calendar_words: months, weekdays, periods, and numbers as people count them
"""
