"""Runs the checks that keep the code as it is meant to read, and prints one line a finding.

formatter   clang-format changes nothing
includes    includes run one way between folders, and no folder has more than 25 source files (includes.py)
clang-tidy  the checks of .clang-tidy, over the changed sources; with --all over every source
ruff        formatter and linter of the Python scripts (ruff.toml)
shellcheck  the shell scripts

Exit code 0 without a finding, 1 with one, 2 if a check could not run.
"""

import argparse
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import includes

SOURCE = re.compile(r"\.(cpp|hpp|cu|cuh|h)$")
# After this long no further file is begun; what is left out is said. Two cores look at about 15 files in that time.
SECONDS_FOR_CHANGED = 60


class CannotRun(Exception):
    pass


def output_of(command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)
    return done.returncode, done.stdout + done.stderr


def tracked(root):
    """Files that git tracks or would track, and that exist."""
    code, text = output_of(["git", "ls-files", "-co", "--exclude-standard"], cwd=root)
    if code != 0:
        raise CannotRun(f"git ls-files: {text.strip()}")
    return [file for file in text.splitlines() if (root / file).is_file()]


def check_formatter(root, tools, files, _):
    sources = [file for file in files if SOURCE.search(file)]
    code, text = output_of([tools / "clang-format", "--dry-run", *sources], cwd=root)
    if code != 0:
        raise CannotRun(f"clang-format: {text.strip().splitlines()[-1] if text.strip() else f'exit code {code}'}")
    unformatted = sorted(set(re.findall(r"^(\S+?):\d+:\d+: warning: code should be", text, re.MULTILINE)))
    return [f"{file}: not as clang-format lays it out: clang-format -i {file}" for file in unformatted]


def check_includes(root, _tools, files, _):
    return includes.findings(root, files)


def check_ruff(root, tools, files, _):
    scripts = [file for file in files if file.endswith(".py")]
    if not scripts:
        return []
    findings = []
    for command in (["check", "--output-format", "concise", "--quiet"], ["format", "--check", "--quiet"]):
        code, text = output_of([tools / "ruff", *command, *scripts], cwd=root)
        if code != 0:
            findings += [line for line in text.splitlines() if line.strip()]
    return findings


def check_shellcheck(root, tools, files, _):
    scripts = [file for file in files if file.endswith(".sh") or file == ".ci/run"]
    if not scripts:
        return []
    code, text = output_of([tools / "shellcheck", "--external-sources", "--format", "gcc", *scripts], cwd=root)
    if code not in (0, 1):
        raise CannotRun(f"shellcheck: exit code {code}: {text.strip()[:200]}")
    return text.splitlines()


def library_headers(compiler):
    """The folders of `compiler`'s C++ library, as options: clang would look for those of the newest GCC there is. Its
    other headers, omp.h among them, come last."""
    _, text = output_of([compiler, "-E", "-x", "c++", "-v", os.devnull])
    searched = re.search(r"search starts here:\n(.*?)End of search list", text, re.DOTALL)
    folders = [line.strip() for line in searched.group(1).splitlines()] if searched else []
    library = [folder for folder in folders if "/c++/" in f"{folder}/"]
    if not library:
        return []
    last = [f"-idirafter{folder}" for folder in folders if folder not in library]
    return ["-nostdinc++", *(f"-isystem{folder}" for folder in library), *last]


def alone(entry, words):
    """The command of each source of a piece (cmake/pieces.cmake), or of the one source that there is."""
    piece = Path(entry["directory"], entry["file"])
    sources = [entry["file"]]
    if piece.parent.name == "Unity":
        sources = re.findall(r'^#include "(.+)"$', piece.read_text(encoding="utf-8"), re.MULTILINE)
    for source in sources:
        command = shlex.join(source if word == entry["file"] else word for word in words)
        yield entry | {"file": source, "command": command}


def compile_commands(build, folder):
    """A copy of the build's commands, one a source, without what only GCC knows."""
    path = build / "compile_commands.json"
    if not path.is_file():
        raise CannotRun(f"{path} is missing: configure first, cmake --preset release")
    entries, headers = [], {}
    for entry in json.loads(path.read_text(encoding="utf-8")):
        words = shlex.split(entry["command"])
        if Path(words[0]).name == "ccache":
            words = words[1:]
        if words[0] not in headers:
            headers[words[0]] = library_headers(words[0])
        kept = [word for word in words if not re.match(r"-m(move|store)-max=|-march=|-Winvalid-pch", word)]
        kept[1:1] = headers[words[0]]
        entries += alone(entry, kept)
    (folder / "compile_commands.json").write_text(json.dumps(entries), encoding="utf-8")
    return {os.path.realpath(Path(entry["directory"], entry["file"])) for entry in entries}


def sources_of(files, present, root):
    """The .cpp files to look at for these changed files: of a header the one beside it, or one that includes it."""
    sources = []
    for file in files:
        beside = re.sub(r"\.hpp$", ".cpp", file)
        if beside in present:
            sources.append(beside)
        elif file.endswith(".hpp"):
            include = f'#include "{file}"'
            users = (source for source in sorted(present) if include in (root / source).read_text(encoding="utf-8"))
            sources += [user for user in [next(users, None)] if user]
    return list(dict.fromkeys(sources))


def changed_files(root, base):
    """Files that differ from `base`; those in work first."""
    if base is None:
        code, upstream = output_of(["git", "merge-base", "HEAD", "origin/HEAD"], cwd=root)
        _, head = output_of(["git", "rev-parse", "HEAD"], cwd=root)
        base = upstream.strip() if code == 0 and upstream != head else "HEAD~1"
    files = []
    for command in (
        ["git", "diff", "--name-only", "HEAD"],
        ["git", "ls-files", "-o", "--exclude-standard"],
        ["git", "diff", "--name-only", base],
    ):
        code, text = output_of(command, cwd=root)
        if code != 0:
            raise CannotRun(f"{shlex.join(command)}: {text.strip().splitlines()[0]}")
        files += text.splitlines()
    return list(dict.fromkeys(files))


def check_clang_tidy(root, tools, files, options):
    sources = [file for file in files if file.endswith(".cpp")]
    if not options.all:
        sources = sources_of(changed_files(root, options.base), set(sources), root)
    with tempfile.TemporaryDirectory() as folder:
        known = compile_commands(options.build, Path(folder))
        sources = [file for file in sources if os.path.realpath(root / file) in known]
        # What clang says of the headers of others is not ours to mend, but for a header that it does not find.
        ours = re.compile(rf"^({re.escape(str(root))}/|[^/]).* (warning|error): |file not found")
        end = float("inf") if options.all else time.monotonic() + SECONDS_FOR_CHANGED

        def look_at(file):
            if time.monotonic() > end:
                return None
            code, text = output_of([tools / "clang-tidy", "--quiet", "-p", folder, root / file], cwd=root)
            if code not in (0, 1):
                raise CannotRun(f"clang-tidy: exit code {code} on {file}")
            return [line.replace(f"{root}/", "") for line in text.splitlines() if ours.search(line)]

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(look_at, sources))
    left = sum(result is None for result in results)
    if left:
        print(f"  clang-tidy: {len(sources) - left} of {len(sources)} changed sources; the rest with --all")
    return sorted({line for result in results if result for line in result})


CHECKS = {
    "formatter": check_formatter,
    "includes": check_includes,
    "ruff": check_ruff,
    "shellcheck": check_shellcheck,
    "clang-tidy": check_clang_tidy,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="clang-tidy over every source, not the changed ones alone")
    parser.add_argument(
        "--base", metavar="REV", help="changed since REV; default: where origin's branch left, or HEAD~1"
    )
    parser.add_argument("--only", choices=CHECKS, action="append", help="this check alone; may be given again")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent, help="the checkout")
    parser.add_argument("--build", type=Path, help="a configured build folder; default: build in the checkout")
    parser.add_argument(
        "--tools", type=Path, required=True, help="folder of clang-format, clang-tidy, ruff, shellcheck"
    )
    options = parser.parse_args()
    root = options.root.resolve()
    options.build = (options.build or root / "build").resolve()
    tools = options.tools.resolve()

    total = 0
    try:
        files = tracked(root)
        for name in options.only or CHECKS:
            start = time.monotonic()
            findings = CHECKS[name](root, tools, files, options)
            print("\n".join(findings), end="\n" if findings else "")
            print(f"{name}: {len(findings)} findings, {time.monotonic() - start:.1f} s", flush=True)
            total += len(findings)
    except (CannotRun, OSError) as error:
        print(f"lint: {error}", file=sys.stderr)
        return 2
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
