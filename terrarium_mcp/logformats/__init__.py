"""Logs of other programs: their formats as data, and how a line becomes a message.

- usual_places, named_files, files, archives, unpacking, finding: which files there are
- choices, detection, recognition, contents, log_origin, dated_paths, sessions, planning,
  whole_lines, lounge_networks, choice_limits: what each is
- formats, grammar, text/: the text formats, one file each; databases/: databases of other programs,
  the only place outside the store with SQL; jsonl: our own export
- log_reader, decoding, log_clock, twelve_hours, month_names, dated_clocks, entries: from bytes,
  lines and stamps to what was said, and when
- recordable, playback, recorded_times: what of that is recorded, and which time it covers
- importing, reading, reading_child, read_parts, exported_rooms: from there into the store
- exporting, export_formats, layout, log_folder, spreadsheet: and back into files
"""
