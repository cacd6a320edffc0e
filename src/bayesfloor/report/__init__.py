"""The report: one HTML file that loads nothing from the network.

Input: the contents of a ``Check``, as ``Measured``.
Output: one HTML page, and a short form for notebooks.
Must not know about: how numbers are computed.
"""
