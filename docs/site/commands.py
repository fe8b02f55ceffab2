"""The reference of the command line: the program's own --help texts."""

import re
import subprocess


def help_of(socketlab, *command):
    text = subprocess.run([socketlab, *command, "--help"], capture_output=True, text=True, check=True).stdout
    return text.replace(f"{socketlab}", "socketlab").rstrip()


def names(overview):
    return sorted(re.findall(r"^  ([a-z][a-z-]*) {2,}\S", overview.split("Subcommands:")[1], flags=re.M))


def command_page(socketlab):
    overview = help_of(socketlab)
    sections = [
        "# Options of every command",
        "",
        "What `socketlab COMMAND --help` prints. Exit codes: 0 as expected; 1 a verdict or a comparison is not as expected;",
        "2 bad usage or bad input, with one line that says what, where and what is allowed; 3 no GPU where one is asked for.",
        "",
        f"```text\n{overview}\n```",
    ]
    for name in names(overview):
        sections += ["", f"## {name}", "", f"```text\n{help_of(socketlab, name)}\n```"]
    return "\n".join(sections) + "\n"
