"""The query language, as people and models type it into a search. Pure.

    query    = *( clause / "-" term / [ "-" ] operator )
    clause   = term *( "OR" term )              ; a message must contain one of the terms
    term     = phrase / prefix / word
    phrase   = DQUOTE 1*char [ DQUOTE ]         ; consecutive words
    prefix   = 1*char letter "*"                ; a word with this beginning
    word     = any other run of non-spaces
    operator = "from:" nick                     ; the author; any of several
             / "in:" channel                    ; any of several
             / "mentions:" nick                 ; the text names them; all of several
             / "has:link"
             / "is:command"                    ; only commands to the bot; else they are left out
             / "type:" kind                     ; privmsg, notice, action, join ...; any of several
             / ( "after:" / "before:" / "on:" ) time
    time     = day [ [ "at" ] "14:00" ] / "2026-05" / "2026" / "2h" / "last week" ...
    day      = "2026-05-01" / "yesterday" / "5 may" ...

A message must satisfy every clause, with or without AND between two of them, and contain none of
the terms after a minus. The only operators that can follow a minus are from: and in:. Not every
minus excludes: `-9`, `-f` and `-O2` are text, as is each `-word` of a query that ends in a question
mark, and `"-rf"`. A phrase behind a minus, `-"rf"`, is always excluded. A value may be quoted; of
others several may be named at once: `from:ada,bo` is `from:ada from:bo`, and so is
`(from:ada OR from:bo)`. `after:` includes its time from the beginning, `before:` excludes it, and
`on:` is the whole of it. Everything else is text: there are no syntax errors. Text that looks like
an operator is mentioned in the notes.
Of a long query only the beginning is read (`MOST_CHARACTERS`, `MOST_PARTS`), and a note says so.

- parsed_query: what was asked; parser: from the text to it
- syntax: the parts and the values that a text is typed in; clauses: terms that an OR joins
- typed_times: the times of a query; notes: what is said of the parts that were read otherwise
- operator_hints: text that was probably meant as an operator
- legacy_search: the search words of terrarium-irc
"""
