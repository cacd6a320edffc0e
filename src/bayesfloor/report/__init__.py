"""The report: one HTML file that loads nothing from the network.

Comes in: what a ``Check`` holds (``Measured``).
Goes out: one HTML page, and a short form for notebooks.
Must not know: how numbers are computed.
"""
