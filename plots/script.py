"""How does a script of this folder end when its files cannot be read, drawn or written? With one line on stderr that
names script, file, what is wrong and what is allowed, and status 2; a file is there whole or not at all.
"""

import os
import sys
from pathlib import Path


class Refused(Exception):
    """What is wrong with which file, and what is allowed."""


def refuse(problem):
    """The one line, and the end."""
    print(f"plots/{Path(sys.argv[0]).name}: {problem}", file=sys.stderr)
    sys.exit(2)


def run(main, *given):
    """main(*given), without a traceback."""
    try:
        main(*given)
    except Refused as problem:
        refuse(problem)
    except OSError as error:
        refuse(f"{error.filename or given[0]}: {error.strerror}; allowed are files that can be read")
    except (ArithmeticError, AttributeError, LookupError, StopIteration, TypeError, ValueError) as error:
        # The readers have found every file whole, so that several do not go together.
        refuse(f"{given[0]}: cannot be drawn ({type(error).__name__}: {error}); allowed are the files of one run")


def write_whole(path, contents):
    """Bytes to a file that is replaced at once."""
    path = Path(path)
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(contents)
        os.replace(temporary, path)
    except OSError as error:
        if os.access(path.parent, os.W_OK):
            temporary.unlink(missing_ok=True)
        raise Refused(f"{path}: {error.strerror}; allowed is a folder with write permission and free space") from error
