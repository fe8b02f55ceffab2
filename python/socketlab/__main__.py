"""`python -m socketlab ARGS`: the program socketlab, of this Python's environment or of PATH, with these arguments."""

import os
import shutil
import sys

_BESIDE = os.path.dirname(sys.executable)


def main() -> None:
    program = shutil.which("socketlab", path=os.pathsep.join([_BESIDE, os.environ.get("PATH", os.defpath)]))
    if program is None:
        print(
            f"python -m socketlab: no program socketlab in {_BESIDE} or on PATH: the package has the functions alone; "
            "./reproduce.sh builds the program (build/socketlab), cmake --install build --prefix DIR puts it into DIR/bin",
            file=sys.stderr,
        )
        raise SystemExit(2)
    os.execv(program, ["socketlab", *sys.argv[1:]])


if __name__ == "__main__":
    main()
