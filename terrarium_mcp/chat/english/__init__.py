"""English for search: stop words, other forms of a word, and related words.

Text in other languages is searched word by word, and none of this gets in its way.

- words: the functions; the word lists are the text files beside it
"""
