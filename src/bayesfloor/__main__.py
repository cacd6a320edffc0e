"""``python -m bayesfloor`` is the command line."""

from bayesfloor.cli._commands import main

main()
