"""The report: one HTML file that asks the network for nothing.

Comes in: what a ``Check`` holds (``Measured``).
Goes out: one HTML page, and a short form for notebooks.
Must not know: how numbers came about.
"""
