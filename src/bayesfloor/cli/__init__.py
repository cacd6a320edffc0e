"""The command line: turn arguments into settings, make one call, and print or write its result.

Input: command-line arguments.
Output: text, files and an exit code.
Must not know about: formulas and statistics.
"""
