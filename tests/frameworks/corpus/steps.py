"""Runs the steps of a set, for CuPy's and Inductor's scripts; a step that fails is told, and the others go on."""
import sys


def run(parts, work):
    """Does the work for each step of the parts that the command line names (none: all)."""
    for part in [parts[name] for name in sys.argv[1:] or parts]:
        for number, step in enumerate(part()):
            try:
                work(step)
                print(number, "ran", flush=True)
            except BaseException as error:  # a compiler's crash must not end the others
                print(number, type(error).__name__, str(error)[-300:], flush=True)
