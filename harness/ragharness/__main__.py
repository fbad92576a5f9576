"""``python -m ragharness``: the command line."""

from ragharness.cli import script

if __name__ == "__main__":
    script()
