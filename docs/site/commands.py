"""The reference of the command line: the program's own --help texts."""

import re
import subprocess

from statements import page


def help_of(socketlab, *command):
    text = subprocess.run([socketlab, *command, "--help"], capture_output=True, text=True, check=True).stdout
    return text.replace(f"{socketlab}", "socketlab").rstrip()


def names(overview):
    return sorted(re.findall(r"^  ([a-z][a-z-]*) {2,}\S", overview.split("Subcommands:")[1], flags=re.M))


def command_page(socketlab):
    overview = help_of(socketlab)
    return page("commands", overview=overview, helps={name: help_of(socketlab, name) for name in names(overview)})
