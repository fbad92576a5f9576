"""``python -m ragharness``: the command line."""

from ragharness.cli import main

if __name__ == "__main__":
    main()
