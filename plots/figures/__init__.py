"""What the figures draw, from rows in memory: for the scripts of plots/, which read result files, and for the Python package,
which has tables. Neither knows the other; nothing here reads a file, and the look is set by who calls.
"""
