"""Where tasks run, how work tells of itself, and files that are written whole.

Comes in: tasks, files and rows of numbers beyond memory.
Goes out: results, progress, pieces with checksums, short harmless texts.
Must not know: what a tree or a label means.
"""
