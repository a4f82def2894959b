"""The command ``rosenblatt``: the same program as that of the Rust package."""

from __future__ import annotations

import sys

from ._rosenblatt import run_program


def main() -> int:
    """Runs the program with the arguments of this process, and returns its exit status."""
    return run_program(["rosenblatt", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
