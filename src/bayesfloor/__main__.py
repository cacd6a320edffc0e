"""``python -m bayesfloor`` is the command line."""

from bayesfloor.cli._entry import main

main()
