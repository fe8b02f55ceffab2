"""Of docs/records: the prose of every page before and after it was rewritten (pages.md), how many small changes of the
sources the tests saw (mutation.md), and how runs scale over processes (deep_run.md).

tools/sentences.py writes pages.csv, docs/records/mutation.py mutation.csv. A page that moved has a line for each place.
"""

from records import markdown, read, thousands, where


def shown(row):
    if not row:
        return ["", "", "", ""]
    return [thousands(row["words"]), f"{row['mean']:.1f}", f"{row['longest']:.0f}", f"{row['digits_percent']:.1f}%"]


def pages():
    rows = read("docs/records/pages.csv")
    states = [{row["name"]: row for row in where(rows, state=state)} for state in ("before", "after")]
    lines = []
    for name in sorted({row["name"] for row in rows}):
        before, after = (shown(state.get(name)) for state in states)
        lines.append([name, *before, *after])
    columns = [
        "page",
        "words before",
        "mean",
        "longest",
        "with digits",
        "words after",
        "mean",
        "longest",
        "with digits",
    ]
    return markdown(columns, lines)


def mutation_scores():
    rows = read("docs/records/mutation.csv")
    lines = []
    for folder in dict.fromkeys(row["folder"] for row in rows):
        killed, survived = (len(where(rows, folder=folder, outcome=outcome)) for outcome in ("killed", "survived"))
        lines.append([f"`{folder}/`", killed, survived, f"{100 * killed / (killed + survived):.0f}%"])
    return markdown(["folder", "killed", "survived", "killed, of both"], lines)


def processes():
    """One process, which is its slices and merging them, against 16."""
    rows = read("docs/records/processes.csv")
    lines = []
    for command, words in (("reproduce", "`reproduce`"), ("faults", "`verify --all-faults`")):
        own = where(rows, command=command)
        runs = [row["seconds"] for row in own if row["run"] == "16 processes"]
        alone = sum(row["seconds"] for row in own if row["run"] != "16 processes")
        ratios = ", ".join(f"{alone / seconds:.1f}" for seconds in runs)
        lines.append([words, f"{alone:.1f}", ", ".join(f"{seconds:.1f}" for seconds in runs), ratios])
    return markdown(["command", "one process, seconds", "16 processes", "speed-up"], lines)


TABLES = {"processes": processes, "pages": pages, "mutation scores": mutation_scores}
OF_ROWS = {"mutation scores"}  # which counts them
SENTENCES = []
