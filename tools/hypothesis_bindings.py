"""Can the Python package be crashed, or made to refuse in anything but one line, by what it is given?

Usage: hypothesis_bindings.py [--minutes 5] [--seed 1]   (needs socketlab, numpy and hypothesis)

Calls of every public function are drawn by hypothesis: arrays of wrong types, strides, shapes, with NaN, empty, huge; numbers
out of every range; words and objects that are none of these. A call must return, or raise ValueError, TypeError or
MemoryError in one line. Batches run in child processes with 8 GiB at most, so that a crash is seen and named. Exit code 0 without
a finding, else 1; the last lines say how many calls were made and how they ended.
"""

import argparse
import collections
import faulthandler
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time

LIMIT_BYTES = 8 << 30
CALL_SECONDS = 2  # after which a long call is interrupted, which it must hear
HUGE = [2**31 - 1, 2**31, 2**32, 2**53, 2**63 - 1, 2**63, 2**64, 10**30, -1, -(2**31), -(2**63) - 1, -(10**30)]


class TooLong(Exception):
    pass


def strategies():
    import hypothesis.strategies as st
    import numpy as np

    def array(shape, dtype, fill, layout):
        count = int(np.prod(shape))
        numbers = np.resize(np.array(fill, dtype=np.float64), count).reshape(shape)
        with np.errstate(all="ignore"):
            try:
                made = numbers.astype(dtype)
            except (TypeError, ValueError):
                made = numbers.astype(object)
        if layout == "fortran":
            return np.asfortranarray(made)
        if layout == "reversed":
            return made[::-1] if made.ndim else made
        if layout == "strided":
            wide = np.repeat(made, 2, axis=-1) if made.ndim else made
            return wide[..., ::2] if made.ndim else wide
        if layout == "broadcast":
            return np.broadcast_to(made, (2, *made.shape))
        if layout == "read-only":
            made.flags.writeable = False
        return made

    numbers = st.floats(-4, 4) | st.sampled_from([0.0, -0.0, 1e300, -1e300, 5e-324, 1e-310])
    odd = st.sampled_from([float("nan"), float("inf"), -float("inf")])
    odd_dtypes = st.sampled_from(["f2", ">f8", "<f4", "i8", "u1", "?", "c16", "U3", "O", "M8[s]", "g"])
    layouts = st.sampled_from(["plain"] * 10 + ["fortran", "reversed", "strided", "broadcast", "read-only"])
    fills = st.lists(numbers, min_size=1, max_size=7)
    odd_fills = st.lists(numbers | odd, min_size=1, max_size=7)
    junk = st.sampled_from(
        [None, "text", b"bytes", object(), [], [[]], {}, [[1], [2, 3]], 1, float("nan"), (), "a\nb", print, 1j]
    )

    @st.composite
    def mostly(draw, good, odd, one_in):
        return draw(odd if draw(st.sampled_from(range(one_in))) == one_in - 1 else good)

    def or_odd(good, *others):
        return mostly(good, st.one_of(*others, junk), 40)

    def arrays(*good):
        exact = st.sampled_from(good)
        near = st.lists(st.sampled_from([0, 1, 2, 3, 5, 8]), max_size=5).map(tuple)
        shapes = mostly(exact, near, 25)
        dtypes = mostly(st.sampled_from(["f8", "f4"]), odd_dtypes, 20)
        made = st.builds(array, shapes, dtypes, mostly(fills, odd_fills, 30), layouts)
        return mostly(made, junk, 40)

    counts = or_odd(st.integers(0, 6), st.sampled_from(HUGE), st.floats(), st.booleans())
    reals = or_odd(st.floats(0.05, 2), st.floats(), st.sampled_from(HUGE))
    words = st.text(max_size=5)
    return st, arrays, counts, reals, words, mostly, or_odd


def calls():
    """name -> strategy of (function, positional arguments, keyword arguments)."""
    import numpy as np
    import socketlab as sl

    st, arrays, counts, reals, words, mostly, or_odd = strategies()
    seeds = or_odd(st.integers(0, 3), st.sampled_from(HUGE))
    word = lambda *good: or_odd(st.sampled_from(good), words)  # noqa: E731
    scaling = word("none", "inverse-sqrt-dim")
    q, k, v = arrays((2, 2, 4)), arrays((2, 5, 4)), arrays((2, 5, 3))
    planes3, mask = mostly(st.none(), arrays((2, 3, 4), (1, 1, 4)), 8), mostly(st.none(), arrays((5,), (2, 5)), 8)
    run = {"seed": seeds, "threads": or_odd(st.integers(0, 2), st.sampled_from(HUGE))}
    soft = {"temperature": reals, "scaling": scaling}
    size = {"tables": counts, "planes": counts, **soft}
    budget = or_odd(st.integers(0, 6) | st.floats(0, 1), st.sampled_from(HUGE), st.floats())
    lists = lambda of: or_odd(st.lists(of, max_size=3))  # noqa: E731
    learned = mostly(st.none(), words, 8)
    family = {"keys": counts, "dim": counts, "needle_cosine": reals, "query_norm": reals, "learned": learned}
    oracle = {"planes": counts, "temperature": reals, "dim": counts, "query_norm": reals, "scaling": scaling}

    def of(function, *positional, **named):
        chosen = st.fixed_dictionaries({}, optional=named)
        return st.tuples(st.just(function), st.tuples(*positional), chosen)

    def with_all(function, *positional, **named):
        return st.tuples(st.just(function), st.tuples(*positional), st.fixed_dictionaries(named))

    def small(function, sizes, *positional, **named):
        """Sizes of a short call, of which some are drawn."""
        drawn = st.fixed_dictionaries({}, optional={**dict.fromkeys(sizes, counts), **named})
        return st.tuples(st.just(function), st.tuples(*positional), drawn.map(lambda given: {**sizes, **given}))

    scoring = {"temperature": reals, "scaling": scaling, "threads": run["threads"]}
    selected = arrays((2, 3), (3,))
    return {
        "attend": small(sl.attend, {"budget": 2, "tables": 3, "planes": 2}, q, k, v, sink=counts, window=counts, hyperplanes=planes3, corners=planes3,
                     mask=mask, mask_true=word("allowed", "forbidden"), causal=or_odd(st.booleans()),
                     profile=word("paper", "gpt-fast", "hf", "hub"), ranker=word("socket", "hard-lsh", "hamming"),
                     output_rule=word("exact-softmax", "score-softmax"), precision=word("f64", "f32"), **soft, **run),
        "certify": small(sl.certify, {"budget": 2, "tables": 3, "planes": 2}, q, k, v, samples=budget, delta=reals, target_error=reals, mask=mask,
                      pairs=word("exact", "none"), redraws=counts, fresh_tables=counts, hyperplanes=planes3, **soft, **run),
        "choose": of(sl.choose, arrays((2, 4), (2, 2, 4)), arrays((5, 4), (2, 5, 4)), arrays((5, 3), (2, 5, 3)),
                     rankers=lists(st.sampled_from(sl.RANKERS) | words), budgets=lists(reals | counts), top=counts, sink=counts,
                     calibration=arrays((2, 4)), **size, **run),
        "sweep": small(sl.sweep, {"keys": 9, "dim": 3, "tables": 3, "planes": 2, "trials": 2, "draws": 1},
                       word(*sl.AXES), lists(reals | counts), axis2=word(*sl.AXES), values2=lists(reals), budget=counts,
                       families=lists(st.sampled_from(sl.families())), samples=counts, key_norm_spread=reals, density=reals,
                       family_error=reals, needle_cosine=reals, query_norm=reals, delta=reals, temperature=reals, scaling=scaling,
                       learned=learned, **run),
        "audit": small(sl.audit, {"keys": 9, "dim": 3, "tables": 3, "trials": 2, "bound_draws": 3, "fresh_tables": 40},
                       planes=lists(counts), temperatures=lists(reals), part=word("all", "bounds"), samples=counts,
                       family=word(*sl.families()), target=reals, bound_delta=reals, needle_cosine=reals, query_norm=reals,
                       delta=reals, scaling=scaling, learned=learned, **run),
        "verify": with_all(sl.verify, lists(words), profile=word("smoke"), fault=words, **run),
        "instance": of(sl.instance, word(*sl.families()), seed=seeds, trial=seeds, value_dim=counts, needles=counts, clusters=counts,
                       cluster_spread=reals, key_rank=counts, sinks=counts, copies=counts, angle=reals, planes=counts, **family),
        "hyperplanes": with_all(sl.hyperplanes, tables=counts, planes=counts, dim=counts, seed=seeds, trial=seeds),
        "derive_seed": of(sl.derive_seed, seeds, seeds),
        "hash_keys": of(sl.hash_keys, arrays((2, 3, 4)), arrays((5, 4)), threads=run["threads"]),
        "soft_scores": of(sl.soft_scores, arrays((2, 3, 4)), arrays((2, 4), (4,)), arrays((5, 4)), **scoring),
        "hard_scores": of(sl.hard_scores, arrays((2, 3, 4)), arrays((2, 4)), arrays((5, 4)), threads=run["threads"]),
        "select": with_all(sl.select, arrays((5,)), budget=counts, sink=counts, window=counts, mask=mask),
        "epsilon": with_all(sl.oracle.epsilon, **oracle),
        "weight": with_all(sl.oracle.weight, cosine=reals, **oracle),
        "weight_variance": with_all(sl.oracle.weight_variance, cosine=reals, **oracle),
        "pair_moment": with_all(sl.oracle.pair_moment, cosine_i=reals, cosine_j=reals, cosine_ij=reals, **oracle),
        "angular_weight": with_all(sl.oracle.angular_weight, planes=counts, cosine=reals),
        "check.scores": of(sl.check.scores, arrays((2, 5)), tables=arrays((2, 2, 4)), codes=arrays((1, 2, 5)), norms=arrays((1, 5)),
                           allowed=mostly(st.none(), arrays((2, 5)), 8), planes=counts, halves=or_odd(st.booleans()), sums=word("f32", "f16"), threads=run["threads"]),
        "check.scoring_case": of(sl.check.scoring_case, words | st.sampled_from(
            [f"operation={o},keys={n}" for o in ("score-packed", "score-buckets", "x") for n in (0, 1, 33, -5, 2**70)])),
        "check.selection": of(sl.check.selection, arrays((2, 5), (5,)), selected, budget=counts, sink=counts, window=counts,
                              contract=word("any", "lower-index", "ordered")),
        "check.attention": of(sl.check.attention, arrays((2, 4)), k, v, selected, arrays((2, 3)), arrays((2,)),
                              base=word("e", "2"), dtype=word("f32", "f16", "bf16"), weights=word("f32", "bf16"), empty=word("nan", "zero")),
        "check.bias": of(sl.check.bias, arrays((8,), (2, 4)), reals, value_range=reals, error=reals),
        "check.selection_case": of(sl.check.selection_case, word("plateau", "nan"), keys=or_odd(st.integers(-1, 9)), budget=counts,
                                   sink=counts, window=counts, seed=seeds),
        "check.attention_case": of(sl.check.attention_case, word("plain", "steep"), keys=or_odd(st.integers(-1, 9)), seed=seeds),
        "array protocols": of(np.asarray, st.builds(lambda given: sl.hash_keys(np.ones((1, 1, 1)), given), arrays((5, 1)).filter(
            lambda given: isinstance(given, np.ndarray) and given.shape == (5, 1) and given.dtype == np.float64 and np.isfinite(given).all()))),
    }  # fmt: skip


def ended(function, positional, named, allowed):
    """How a call ended, or AssertionError."""
    try:
        signal.setitimer(signal.ITIMER_REAL, CALL_SECONDS)
        function(*positional, **named)
        return "returned"
    except TooLong:
        return "interrupted"
    except allowed as error:
        lines = str(error)
        if "\n" in lines and type(error).__name__ != "CheckFailure":
            raise AssertionError(f"{type(error).__name__} of several lines: {lines}") from error
        return type(error).__name__
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def batch(name, seed, examples, where):
    """In a child process: writes how calls ended to `where`; what is called stands there before it is."""
    import hypothesis
    import socketlab as sl

    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT_BYTES, LIMIT_BYTES))

    def too_long(*_):
        raise TooLong

    signal.signal(signal.SIGALRM, too_long)
    allowed = (ValueError, TypeError, MemoryError, sl.check.CheckFailure)
    counts = collections.Counter()
    all_calls = calls()

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=examples,
        deadline=None,
        database=None,
        suppress_health_check=list(hypothesis.HealthCheck),
        print_blob=False,
    )
    @hypothesis.given(all_calls[name])
    def ends_well(call):
        function, positional, named = call
        with open(where + ".call", "w") as file:  # what a crash was about
            file.write(f"{name} {positional!r} {named!r}"[:4000])
        counts[ended(function, positional, named, allowed)] += 1

    failure = ""
    try:
        ends_well()
    except BaseException as error:
        failure = f"{type(error).__name__}: {error}"
    with open(where, "w") as file:
        json.dump({"counts": counts, "failure": failure}, file)
    sys.stdout.flush()
    os._exit(0)  # what interrupted calls left behind is not waited for


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--examples", type=int, default=400, help="calls in a batch")
    parser.add_argument("--only", help="one function")
    parser.add_argument("--batch", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.batch:
        return batch(given.batch[0], given.seed, given.examples, given.batch[1])

    names, totals, findings = (
        [given.only] if given.only else list(calls()),
        collections.defaultdict(collections.Counter),
        {},
    )
    end, seed = time.monotonic() + 60 * given.minutes, given.seed
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < end:
            for name in names:
                if time.monotonic() >= end:
                    break
                where = os.path.join(folder, "result.json")
                command = [
                    sys.executable,
                    __file__,
                    "--batch",
                    name,
                    where,
                    "--seed",
                    str(seed),
                    "--examples",
                    str(given.examples),
                ]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                if os.path.exists(where):
                    with open(where) as file:
                        result = json.load(file)
                    os.remove(where)
                    totals[name].update(result["counts"])
                    if result["failure"]:
                        findings.setdefault(name, f"seed {seed}: {result['failure']}\n{done.stdout}{done.stderr}")
                else:
                    with open(where + ".call") as file:
                        last = file.read()
                    findings.setdefault(
                        name, f"seed {seed}: the process ended with {done.returncode} in {last}\n{done.stderr}"
                    )
            seed += 1
    for name, counts in totals.items():
        print(f"{name:<24}", ", ".join(f"{count} {word}" for word, count in sorted(counts.items())))
    everything = sum(totals.values(), collections.Counter())
    print(f"{sum(everything.values())} calls in {seed - given.seed} rounds:", dict(everything))
    for name, finding in findings.items():
        print(f"\nFINDING {name}: {finding}")
    print(f"{len(findings)} functions with findings")
    return bool(findings)


if __name__ == "__main__":
    sys.exit(main())
