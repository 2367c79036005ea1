"""How messages come in: appended live, in bulk, or by another program.

- append: a few messages at a time, as the recorder has them; bulk: any number
- insert, message_row: which rows new messages become
- prepared_lines, insert_prepared: the same for lines of a log, by columns
- opt_out_rows, opt_out_reader, forgotten: whose messages stay out
"""
