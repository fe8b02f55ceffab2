"""Builds the documentation site: all pages of the repository, and references made from the program and the sources.

Usage: build.py SOCKETLAB FOLDER [VERDICTS]

SOCKETLAB is the program: its --help texts become the reference of commands. The pages of statements are made from
VERDICTS, a verdicts.jsonl of it; without one, from that of `./reproduce.sh` in results/, or else from a run of
`verify --profile smoke`. The site lies in FOLDER/html. It needs Sphinx, MyST and furo; a warning of
any of them, and a link that leads nowhere, fails the build.
"""

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

from commands import command_page
from functions import function_page
from statements import statement_pages

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "records"))
import runs  # noqa: E402

# A program draws its lines from these, and a page links to any of them.
SHOWN = (".md", ".png", ".csv", ".py", ".ipynb", ".sh", ".json", ".txt")


def missing_tools():
    return [name for name in ("sphinx", "myst_parser", "furo") if importlib.util.find_spec(name) is None]


def stage(source):
    """The pages, and what they show, at the same places: links between them hold."""
    shutil.rmtree(source, ignore_errors=True)
    chosen = [ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")]
    chosen += [
        path
        for folder in ("docs", "gpu", "python/examples")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in SHOWN
    ]
    for path in chosen:
        relative = path.relative_to(ROOT)
        if relative.parts[:2] != ("docs", "site"):
            (source / relative).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, source / relative)
    shutil.copyfile(HERE / "index.md", source / "index.md")


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def verdicts_of(socketlab):
    made = ROOT / "results/verdicts.jsonl"
    return runs.verdicts(made) if made.exists() else runs.verified(socketlab, 1)


def generate(socketlab, verdicts, source):
    write(source / "reference/commands.md", command_page(socketlab))
    write(source / "reference/functions.md", function_page(ROOT / "python/socketlab"))
    page, header = (path.read_text("utf-8") for path in (HERE / "c_interface.md", ROOT / "gpu/socketlab_gpu.h"))
    write(source / "reference/c_interface.md", page.replace("SOCKETLAB_GPU_H\n", header))
    for name, text in statement_pages(verdicts).items():
        write(source / "statements" / name, text)


def mend_theme(static):
    """Debian's furo asks a web server for files, and has a script that is a module: from a folder neither is found."""
    style, script = static / "styles/furo.css", static / "scripts/furo.js"
    text = style.read_text(encoding="utf-8")
    shared = re.search(r"@import url\((/javascript/\S+?\.css)\);", text)
    if shared:
        normal = Path("/usr/share" + shared[1])
        style.write_text(
            text.replace(shared[0], normal.read_text(encoding="utf-8") if normal.exists() else ""), encoding="utf-8"
        )
    text = script.read_text(encoding="utf-8")
    imported = re.match(r'import (\w+) from "\./(\S+)";\n', text)
    if imported:
        library = (script.parent / imported[2]).read_text(encoding="utf-8")
        script.write_text(f"{library}\n{text[imported.end() :]}", encoding="utf-8")


def main():
    if len(sys.argv) not in (3, 4):
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    lacking = missing_tools()
    if lacking:
        sys.exit(f"the site needs {', '.join(lacking)}: python3-sphinx python3-myst-parser furo")
    socketlab, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    source = folder / "source"
    stage(source)
    verdicts = runs.verdicts(sys.argv[3]) if len(sys.argv) == 4 else verdicts_of(socketlab)
    generate(socketlab, verdicts, source)
    sphinx = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-c", HERE]
    subprocess.run([*sphinx, source, folder / "html"], check=True)
    mend_theme(folder / "html/_static")
    print(f"Open {folder / 'html' / 'index.html'}")


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as failed:
        sys.exit(failed.returncode)
