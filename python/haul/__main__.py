"""The haul command: `python -m haul`, and `haul` where the wheel is installed."""

import os
import shutil
import sys
from pathlib import Path


def main():
    command = Path(__file__).resolve().parent / "_tree/bin/haul"
    command = str(command) if command.exists() else shutil.which("haul")
    if not command:
        sys.exit("haul: the command is not installed beside this package, and not in PATH")
    os.execv(command, ["haul"] + sys.argv[1:])


if __name__ == "__main__":
    main()
