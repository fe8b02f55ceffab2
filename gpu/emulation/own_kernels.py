"""Runs gpu-check over CUDA sources of your own on the emulated device, without a GPU.

    gpu/emulation/own_kernels.py BUILD SOURCE.cu .. [-I FOLDER ..] [-- OPTION ..]

The sources implement functions of gpu/socketlab_gpu.h, as gpu/examples/candidate/candidate.cu does. They are translated
and compiled as the project's own kernels are, into BUILD/gpu/emulation/own/libNAME.so, where NAME is that of the first
source; then BUILD/socketlab_emulated checks that library. OPTION .. are those of `gpu-check`. Headers are looked for beside
each source, in each FOLDER, and in gpu/ of this project.

Needs x86-64, a CUDA toolkit, and BUILD with its target socketlab_emulated. Exit codes are those of gpu-check: 0 all cases
passed, 1 some failed, 2 a source that cannot be compiled here or a wrong option, with one line that says why.
"""

import argparse
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import translate

ROOT = Path(__file__).resolve().parents[2]


def run(command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{Path(command[0]).name}: {(done.stderr or done.stdout).strip()}")


def compiler_call(build, unit):
    """(the words that compile the project's translated `unit` but for -o OBJECT, the folder of its translation, its source)"""
    folder = build / "gpu/emulation/translated" / unit.replace("/", "-")
    source = str(folder / "gpu" / re.sub(r"\.cu$", ".cpp", unit))
    entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    words = next(shlex.split(entry["command"]) for entry in entries if entry["file"] == source)
    words = words[Path(words[0]).name == "ccache" :]
    at = words.index("-o")
    return words[:at] + words[at + 2 :], folder, source


def link(build, library, objects):
    # -Bsymbolic: it calls its own functions, not those of the program that loads it.
    run(["c++", "-shared", "-Wl,-Bsymbolic", "-o", library, *objects], cwd=build)


def compiled(build, source, includes, folder):
    """The object of a source of the user's. Its translation, and those of headers, lie in `folder` as they do under /."""
    words, plain, unit = compiler_call(build, "attention/attention.cu")
    inside = [str(path.resolve()).lstrip("/") for path in (source, *includes)]
    try:
        translate.translate(Path("/"), inside[0], folder, folders=inside[1:])
    except translate.NotKnown as error:
        raise RuntimeError(f"/{error}") from None
    translation = str(folder / re.sub(r"\.cu$", ".cpp", inside[0]))
    found = [f"-I{at}" for path in inside[1:] for at in (folder / path, Path("/") / path)]
    words = [translation if word == unit else word for word in words if str(plain) not in word or word == unit]
    # nvcc's visibility; and CUDA's uint2 in memory (kernel_language.hpp).
    last = ["-fvisibility=default", "-DSKT_OWN_KERNELS", "-o", f"{folder}.o"]
    try:
        run([words[0], *found, *words[1:], *last], cwd=build)
    except RuntimeError as error:
        text = str(error).replace(translation, str(source)).replace(str(folder), "")
        errors = [line for line in text.splitlines() if "error:" in line] or text.splitlines()
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        raise RuntimeError(f"not for the emulated device: {errors[0]}{more}") from None
    return f"{folder}.o"


def library_of(build, sources, includes):
    """The path of the library that the sources become."""
    if not (build / "socketlab_emulated").is_file():
        raise RuntimeError(f"{build}: has no socketlab_emulated; cmake --build {build} --target socketlab_emulated")
    for path, there in (*((s, s.is_file()) for s in sources), *((i, i.is_dir()) for i in includes)):
        if not there:
            raise RuntimeError(f"{path}: is not there; allowed are CUDA sources, and with -I folders")
    folder, name = build / "gpu/emulation/own", sources[0].stem
    everywhere = [*includes, ROOT / "gpu", ROOT]
    objects = [compiled(build, source, everywhere, folder / f"{name}-{i}") for i, source in enumerate(sources)]
    link(build, folder / f"lib{name}.so", objects)
    return folder / f"lib{name}.so"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path, metavar="BUILD")
    parser.add_argument("sources", type=Path, nargs="+", metavar="SOURCE.cu")
    parser.add_argument("-I", dest="includes", type=Path, action="append", default=[], metavar="FOLDER")
    words = sys.argv[1:]
    at = words.index("--") if "--" in words else len(words)
    given, options = parser.parse_args(words[:at]), words[at + 1 :]
    build = given.build.resolve()
    try:
        library = library_of(build, given.sources, given.includes)
    except RuntimeError as error:
        print(f"own_kernels.py: {error}", file=sys.stderr)
        return 2
    return subprocess.run([build / "socketlab_emulated", "--candidate", library, *options], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
