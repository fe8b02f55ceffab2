"""Of docs/records: how many small changes of the sources the tests saw (mutation.md), and how runs scale over processes
(deep_run.md). docs/records/mutation.py writes mutation.csv.
"""

from records import markdown, read, where


def mutation_scores():
    rows = read("docs/records/mutation.csv")
    lines = []
    for folder in dict.fromkeys(row["folder"] for row in rows):
        killed, survived = (len(where(rows, folder=folder, outcome=outcome)) for outcome in ("killed", "survived"))
        lines.append([f"`{folder}/`", killed, survived, f"{100 * killed / (killed + survived):.0f}%"])
    return markdown(["folder", "killed", "survived", "killed / (killed + survived)"], lines)


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
    return markdown(["command", "one process, seconds", "16 processes, seconds", "speedup"], lines)


TABLES = {"processes": processes, "mutation scores": mutation_scores}
OF_ROWS = {"mutation scores"}  # which counts them
