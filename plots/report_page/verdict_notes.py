"""Which notes go with a verdict? Its area, why no planted lie is near the truth, and whether a bound holds but says nothing.
From a row of verdicts.jsonl, for the report and for the pages of the site.
"""

# Folders of proofs_check/statements whose names do not say it.
AREAS = {
    "bucket_attention": "Bucket Attention", "lsh_attention": "LSH attention",
    "sharp_bounds": "Our bounds on sampling, bias, selection", "snr": "Signal and noise",
    "table_bounds": "Our bounds on finite tables", "whole_theorem": "The whole theorem and printed numbers",
}  # fmt: skip


def area(row):
    """Rows of older programs have none."""
    folder = row.get("area", "statements")
    return AREAS.get(folder, folder.replace("_", " ").capitalize())


def why_none_near(row):
    """One sentence for a row without a near lie: the reason the statement gives, or how far its nearest lie is."""
    return row.get("why_no_near_mutant") or row["no_near_mutant"] or "No reason is given."


def is_vacuous(row):
    """Does a bound hold that says nothing, at every setting where its trivial bound is known?"""
    settings = row.get("bound_settings")
    return settings is not None and settings["vacuous"] == settings["of"]


def vacuous_note(row):
    """The same in words beside a verdict; nothing where every bound says something, or none is known."""
    settings = row.get("bound_settings") or {"vacuous": 0}
    if settings["vacuous"] == 0:
        return ""
    if is_vacuous(row):
        return "holds, says nothing at these settings: the bound is no smaller than the trivial one"
    return f"holds, says nothing at {settings['vacuous']} of {settings['of']} settings"
