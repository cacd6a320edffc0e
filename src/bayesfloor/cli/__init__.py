"""The command line: arguments become settings, one call is made, its result printed or written.

Comes in: the words of a command.
Goes out: text, files, an exit code.
Must not know: formulas, statistics.
"""
