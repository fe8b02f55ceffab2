"""How does a script of this folder end when it is asked for what cannot be? With one line on stderr that names the
script, what is wrong and what is allowed, and exit code 2; a file is there whole or not at all.
"""

import argparse
import os
import sys
from pathlib import Path


class Refused(Exception):
    """What is wrong, where, and what is allowed."""


class Parser(argparse.ArgumentParser):
    """argparse whose errors are one line."""

    def error(self, message):
        refuse(self.prog, message)


def refuse(program, problem):
    print(f"{program}: {' '.join(str(problem).split())}", file=sys.stderr, flush=True)
    sys.exit(2)


def run(program, main, *given):
    """main(*given); what it refuses, and what the system refuses it, is one line."""
    try:
        return main(*given)
    except Refused as problem:
        return refuse(program, problem)
    except OSError as error:
        where = error.filename or "the system"
        return refuse(program, f"{where}: {error.strerror or error}; allowed are files that can be read and written")


def whole(low, high):
    """A type of argparse: a whole number from low to high."""

    def read(text):
        try:
            number = int(text)
        except ValueError:
            number = None
        if number is None or not low <= number <= high:
            raise argparse.ArgumentTypeError(f"{text!r}: allowed are whole numbers from {low} to {high}")
        return number

    return read


def real(low, high):
    """A type of argparse: a number from low to high; NaN is none."""

    def read(text):
        try:
            number = float(text)
        except ValueError:
            number = float("nan")
        if not low <= number <= high:
            raise argparse.ArgumentTypeError(f"{text!r}: allowed are numbers from {low:g} to {high:g}")
        return number

    return read


def write_whole(path, contents):
    """Bytes to a file that is replaced at once: a reader finds the old one or the new one."""
    path = Path(path)
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(contents)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
