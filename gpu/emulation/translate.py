"""Copies a kernel's source, and every header below ROOT that it includes, as C++ for the emulated device.

    translate.py ROOT UNIT OUTPUT [--depfile FILE] [--edited FOLDER]

UNIT, such as gpu/attention/attention.cu, becomes OUTPUT/gpu/attention/attention.cpp; its headers keep their names.
Headers are looked for beside the file that includes them, then from ROOT. Replaced are inline PTX (ptx.py), shared
variables, and launches by <<<>>>; lines keep their numbers. A PTX statement that ptx.py does not have, or a form of these
that is not known here, ends the script with one line that names it. A file that FOLDER has is taken from there: planted
edits.
"""

import argparse
import posixpath
import re
import sys
from pathlib import Path

import ptx

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)
ALIGNED = r"(?:(?:__align__|alignas)\(\w+\) )?"  # shared memory lies at multiples of 16
TYPE = r"((?:(?:volatile|unsigned) )?[\w:]+(?:<[\w:, ]+>)?)"
ARRAY = re.compile(rf"(?<!extern )__shared__ {ALIGNED}{TYPE} (\w+)((?:\[[^\];]*\])*);")
DYNAMIC = re.compile(rf"extern __shared__ {ALIGNED}{TYPE} (\w+)\[\];")
LAUNCH = re.compile(r"([\w:]+(?:<[\w:, <>]+>)?)\s*<<<((?:(?!>>>).)*)>>>\s*\(", re.DOTALL)
CODE = r"(?:(?!//).)*"  # of a line, before a comment
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')


class NotKnown(RuntimeError):
    pass


def plain_characters(text):
    """(place, character, depth of brackets) of all outside of strings."""
    depth, quoted, skip = 0, False, False
    for at, c in enumerate(text):
        if skip:
            skip = False
        elif quoted:
            skip, quoted = c == "\\", c != '"'
        elif c == '"':
            quoted = True
        else:
            depth += (c in "([{") - (c in ")]}")
            yield at, c, depth


def closing(text):
    """The place of the bracket that closes the one at the begin of `text`."""
    return next(at for at, c, depth in plain_characters(text) if depth == 0 and c in ")]}")


def parts(text, separator):
    """Of `text` between separators outside of brackets and strings; a name's :: is none."""
    places = [at for at, c, depth in plain_characters(text) if depth == 0 and c == separator]
    if separator == ":":
        names = re.finditer(r"\w\s*(::)\s*\w", text)
        taken = {at for name in names for at in range(name.start(1), name.end(1))}
        places = [at for at in places if at not in taken]
    ends = [*places, len(text)]
    return [text[begin:end] for begin, end in zip([0, *(at + 1 for at in places)], ends, strict=True)]


def operands(section, file):
    found = []
    for operand in parts(section, ","):
        if not operand.strip():
            continue
        match = re.fullmatch(r'\s*"[^"]*"\s*\((.*)\)\s*', operand, re.DOTALL)
        if match is None:
            raise NotKnown(f"{file}: an operand of PTX that is no constraint and expression: {operand.strip()}")
        found.append(match.group(1))
    return found


def replaced_statement(inside, file):
    """What stands for asm(inside)."""
    sections = parts(inside, ":")
    statement = "".join(STRING.findall(sections[0])).replace("\\n", " ").replace("\\t", " ")
    statement = " ".join(statement.split())
    if statement not in ptx.STATEMENTS:
        raise NotKnown(f"{file}: the emulated device has no replacement in gpu/emulation/ptx.py for: {statement}")
    given = [operand for section in sections[1:3] for operand in operands(section, file)]
    return ptx.STATEMENTS[statement].format(*given) + "\n" * inside.count("\n")


def translated(text, file):
    done, left = "", text
    while match := re.search(r"\basm(?:\s+volatile)?\s*\(", left):
        open_at = match.end() - 1
        end = open_at + closing(left[open_at:])
        done += left[: match.start()] + replaced_statement(left[open_at + 1 : end], file)
        left = left[end + 1 :]
    text = done + left
    text = DYNAMIC.sub(r"\1* const \2 = skt::emulation::dynamic_shared<\1>();", text)
    text = ARRAY.sub(r'auto& \2 = skt::emulation::static_shared<\1\3>(__FILE__ ":\2", __LINE__);', text)
    if left_over := re.search(rf"^{CODE}__shared__.*$", text, re.MULTILINE):
        raise NotKnown(
            f"{file}: a shared variable of a form that translate.py does not know: {left_over.group().strip()}"
        )
    text = LAUNCH.sub(r"skt::emulation::launcher(\1, \2)(", text)
    if left_over := re.search(rf"^{CODE}<<<.*$", text, re.MULTILINE):
        raise NotKnown(f"{file}: a launch of a form that translate.py does not know: {left_over.group().strip()}")
    return text


def translate(root, unit, output, edited=None, folders=("",)):
    """Writes all; gives the files that were read. `folders` of `root` are those where headers are looked for."""
    read, left = [], [unit]
    while left:
        file = left.pop()
        folder = edited if edited is not None and (edited / file).is_file() else root
        if file in read or not (folder / file).is_file():
            continue
        read.append(file)
        text = (folder / file).read_text(encoding="utf-8")
        if not file.startswith("gpu/emulation/"):
            places = (posixpath.dirname(file), *folders)
            left += [posixpath.normpath(posixpath.join(at, name)) for name in INCLUDE.findall(text) for at in places]
            target = output / re.sub(r"\.cu$", ".cpp", file)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(translated(text, file), encoding="utf-8")
    return read


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path)
    parser.add_argument("unit")
    parser.add_argument("output", type=Path)
    parser.add_argument("--depfile", type=Path)
    parser.add_argument("--edited", type=Path)
    given = parser.parse_args()
    try:
        read = translate(given.root, given.unit, given.output, given.edited)
    except NotKnown as error:
        print(error, file=sys.stderr)
        return 1
    if given.depfile is not None:
        target = given.output / re.sub(r"\.cu$", ".cpp", given.unit)
        sources = " ".join(str(given.root / file).replace(" ", "\\ ") for file in read)
        given.depfile.write_text(f"{str(target).replace(' ', chr(92) + ' ')}: {sources}\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
