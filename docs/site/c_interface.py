"""The C header for Breathe: Doxygen's XML of it, with its comments marked as documentation."""

import re
import subprocess
from pathlib import Path


def marked(header):
    """A comment in front of a declaration, and one behind a field, as Doxygen wants them."""
    text = header.replace("struct CUstream_st; /* *cudaStream_t */", "struct CUstream_st;")
    text = re.sub(r"^(\s*)/\* ", r"\1/** ", text, flags=re.M)
    text = re.sub(r"([;,{]|= \d)(\s*)/\* ", r"\1\2/**< ", text)
    # In such a block Doxygen keeps what its lines begin with.
    text = re.sub(
        r"(?:^ \*   \S.*\n)+",
        lambda block: f" * @verbatim\n{block[0].replace(' *   ', '  ')} @endverbatim\n",
        text,
        flags=re.M,
    )
    # Breathe declares a typedef and the structure of the same name twice.
    text = re.sub(r"typedef struct (skt_\w+) \{(.*?)\} \1;", r"struct \1 {\2};", text, flags=re.S)
    return text.replace("/** The C interface of", "/** @file\n * The C interface of", 1)


def doxygen_xml(header, folder):
    folder.mkdir(parents=True, exist_ok=True)
    copy = folder / header.name
    copy.write_text(marked(header.read_text(encoding="utf-8")), encoding="utf-8")
    text = (Path(__file__).with_name("Doxyfile")).read_text(encoding="utf-8")
    text += f'INPUT = "{copy}"\nOUTPUT_DIRECTORY = "{folder}"\n'
    done = subprocess.run(["doxygen", "-"], input=text, capture_output=True, text=True, check=True)
    if done.stderr.strip():
        raise SystemExit(f"doxygen: {done.stderr}")
    return folder / "xml"
