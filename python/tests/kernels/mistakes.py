"""Single-line mistakes in the kernels of docs/howto/check_a_kernel.md, one for each thing that a contract names.

MISTAKES: a check, the function that is changed, the mistake's name, and the passage that stands once in that function with
what replaces it.
"""

import plain_kernels

BEHIND = "max({0}, len({1}) // {0} * {0})"  # the end of the full tiles; all of a row that fills none

SCORES = [
    ("KV head h % kv_heads", "own = row // group", "own = row % len(case.codes)"),
    ("first KV head for all", "own = row // group", "own = 0"),
    ("neighbouring KV head", "own = row // group", "own = (row // group + 1) % len(case.codes)"),
    ("first sequence of a batch for all", "own = row // group", "own = row // group % max(1, len(case.codes) // 2)"),
    ("norm of the first KV head", "case.norms[own]", "case.norms[0]"),
    ("norms ignored", "out[row] *= case.norms[own]", "pass"),
    ("norms squared", "case.norms[own]", "case.norms[own] ** 2"),
    ("a norm to each query head of the first", "case.norms[own]", "case.norms[row % len(case.norms)]"),
    ("mask ignored", "np.where(case.allowed, out, -np.inf)", "out"),
    ("mask of the first head for all", "np.where(case.allowed,", "np.where(case.allowed[0],"),
    ("mask of the next head", "np.where(case.allowed,", "np.where(np.roll(case.allowed, 1, axis=0),"),
    ("mask inverted", "np.where(case.allowed,", "np.where(~case.allowed,"),
    ("masked keys score 0", "-np.inf)", "0.0)"),
    ("masked keys score the least finite number", "-np.inf)", "np.finfo(np.float32).min)"),
    ("last table dropped", "range(tables)", "range(tables - 1)"),
    ("first table dropped", "range(tables)", "range(1, tables)"),
    ("tables two by two, the odd one dropped", "range(tables)", "range(tables // 2 * 2)"),
    ("mean over tables", "out[row] *= case.norms[own]", "out[row] *= case.norms[own] / tables"),
    ("keys behind full tiles of 64 dropped", "out[row] *= case.norms[own]",
     f"out[row] *= case.norms[own]; out[row, {BEHIND.format(64, 'out[row]')} :] = 0"),
    ("keys behind full tiles of 128 dropped", "out[row] *= case.norms[own]",
     f"out[row] *= case.norms[own]; out[row, {BEHIND.format(128, 'out[row]')} :] = 0"),
    ("last key dropped", "out[row] *= case.norms[own]", "out[row] *= case.norms[own]; out[row, -1] = 0"),
    ("upper half has the fewer planes", "low = case.planes // 2", "low = (case.planes + 1) // 2"),
    ("lower half's entries sought first", "entry[size + (code &", "entry[(code &"),
    ("lower half's entries begin at its own size", "entry[size + (code &", "entry[2**low + (code &"),
    ("halves added", "entry[code >> low] * entry", "entry[code >> low] + entry"),
    ("lower half ignored", " * entry[size + (code & (2**low - 1))]", ""),
    ("plane 0 is the least significant bit", "astype(int) & 0xFFFF",
     "astype(int) & 0xFFFF; code = sum((code >> p & 1) << case.planes - 1 - p for p in range(case.planes))"),
    ("codes have a sign", "astype(int) & 0xFFFF", "astype(int)"),
    ("codes of a byte", "& 0xFFFF", "& 0xFF"),
    ("codes of the next table", "case.codes[own, table]", "case.codes[own, (table + 1) % tables]"),
    ("tables of the first query head", "case.tables[row, table]", "case.tables[row // group * group, table]"),
    ("sums in fp16", "np.float32", "np.float16"),
    ("table entries in fp16", "case.tables[row, table]", "case.tables[row, table].astype(np.float16)"),
    ("norms in bf16", "case.norms[own]", "(case.norms[own].view(np.uint32) & 0xFFFF0000).view(np.float32)"),
]  # fmt: skip

SELECTION = [
    ("ties to the higher index", 'others[np.argsort(-scores[others], kind="stable")]',
     'others[::-1][np.argsort(-scores[others[::-1]], kind="stable")]'),
    ("ties in any order", 'kind="stable"', 'kind="heapsort"'),
    ("ascending order", "argsort(-scores[others]", "argsort(scores[others]"),
    ("by magnitude", "argsort(-scores[others]", "argsort(-abs(scores[others])"),
    ("compared in fp16", "argsort(-scores[others]", "argsort(-scores[others].astype(np.float16)"),
    ("subnormals flushed", "argsort(-scores[others]", "argsort(-np.where(abs(scores[others]) < 2**-126, 0, scores[others])"),
    ("compared by bits", "argsort(-scores[others]", "argsort(-scores[others].view(np.int32).astype(int)"),
    ("-infinity selected", "scores > -np.inf", "~np.isnan(scores)"),
    ("NaN selected", "scores > -np.inf", "scores != -np.inf"),
    ("+infinity not selected", "scores > -np.inf", "np.isfinite(scores)"),
    ("negative scores not selected", "scores > -np.inf", "scores >= 0"),
    ("budget of one less", "[:budget]", "[:max(0, budget - 1)]"),
    ("budget of one more", "[:budget]", "[:budget + 1]"),
    ("sink and window paid by the budget", "[:budget]", "[:max(0, budget - int(always.sum()))]"),
    ("sink ignored", "(index < sink) | ", ""),
    ("sink of one more", "index < sink", "index <= sink"),
    ("sink of one less", "index < sink", "index < sink - 1"),
    ("window ignored", " | (index >= len(scores) - window)", ""),
    ("window of one less", "len(scores) - window)", "len(scores) - window + 1)"),
    ("window of one more", "len(scores) - window)", "len(scores) - window - 1)"),
    ("masked keys of sink and window selected", "always = allowed & ", "always = "),
    ("sink counted in allowed keys", "index < sink", "np.cumsum(allowed) <= sink"),
    ("window counted in allowed keys", "index >= len(scores) - window", "np.cumsum(allowed[::-1])[::-1] <= window"),
    ("keys of sink and window twice", "allowed & ~always", "allowed"),
    ("list in order of the index", "[index[always], best]", "[index[always], np.sort(best)]"),
    ("best keys before the sink", "[index[always], best]", "[best, index[always]]"),
    ("free places hold 0", "constant_values=-1", "constant_values=0"),
    ("free places in front", "(0, sink + budget + window - len(listed))", "(sink + budget + window - len(listed), 0)"),
    ("keys behind full tiles of 64 dropped", "index[allowed & ~always]",
     f"index[allowed & ~always & (index < {BEHIND.format(64, 'index')})]"),
    ("keys behind full tiles of 128 dropped", "index[allowed & ~always]",
     f"index[allowed & ~always & (index < {BEHIND.format(128, 'index')})]"),
]  # fmt: skip

ATTENTION = [
    ("KV head h % kv_heads", "group = len(q) // len(k)", "group = 1; k, v = (np.tile(x, (len(q) // len(k), 1, 1)) for x in (k, v))"),
    ("first KV head for all", "group = len(q) // len(k)", "group = len(q)"),
    ("values of the first KV head", "v[head // group, listed]", "v[0, listed]"),
    ("keys of the first KV head", "k[head // group, listed]", "k[0, listed]"),
    ("scale 1 / dim", "np.sqrt(np.float32(q.shape[1]))", "np.float32(q.shape[1])"),
    ("no scale", " / np.sqrt(np.float32(q.shape[1]))", ""),
    ("scale by value_dim", "np.float32(q.shape[1])", "np.float32(v.shape[2])"),
    ("scale off by 1%", "np.float32(q.shape[1])", "np.float32(1.02 * q.shape[1])"),
    ("free places read the last key", "places[places >= 0]", "places if places.max() >= 0 else places[:0]"),
    ("free places read key 0", "places[places >= 0]", "np.maximum(places, 0) if places.max() >= 0 else places[:0]"),
    ("key 0 taken for a free place", "places >= 0", "places > 0"),
    ("a key that is listed twice counts once", "places[places >= 0]", "np.unique(places[places >= 0])"),
    ("last listed key dropped", "len(listed) > 0", "len(listed) > 1 and len(listed := listed[:-1])"),
    ("keys behind full tiles of 64 dropped", "places[places >= 0]", f"places[places >= 0][: {BEHIND.format(64, 'places')}]"),
    ("keys behind full tiles of 128 dropped", "places[places >= 0]", f"places[places >= 0][: {BEHIND.format(128, 'places')}]"),
    ("softmax without the maximum", "np.exp(logits - logits.max())", "np.exp(logits)"),
    ("softmax to base 2", "np.exp(logits - logits.max())", "np.exp2(logits - logits.max())"),
    ("not divided by the sum", "weights @ values / weights.sum()", "weights @ values"),
    ("weights in fp16", "weights = np.exp(logits - logits.max())", "weights = np.exp(logits - logits.max()).astype(np.float16)"),
    ("logits in fp16", "keys @ q[head]", "(keys @ q[head]).astype(np.float16).astype(np.float32)"),
    ("values in fp16", "weights @ values", "weights @ values.astype(np.float16)"),
    ("a head without keys gives 0", "np.nan, np.float32", "0.0, np.float32"),
    ("log-sum-exp to base 2", "np.log(weights.sum())", "np.log2(weights.sum())"),
    ("log-sum-exp without the maximum", "logits.max() + np.log", "np.log"),
    ("log-sum-exp of a head without keys is 0", "-np.inf, np.float32", "0.0, np.float32"),
]  # fmt: skip

STEP = [
    ("KV head h % kv_heads", "head // group", "head % case.keys.shape[1]"),
    ("first KV head for all", "head // group", "0"),
    ("codes of the first sequence", "case.codes[b, own]", "case.codes[0, own]"),
    ("norms of the first sequence", "case.norms[b, own]", "case.norms[0, own]"),
    ("norms of the first KV head", "case.norms[b, own]", "case.norms[b, 0]"),
    ("norms ignored", "case.norms[b, own] * p.sum(axis=0)", "p.sum(axis=0)"),
    ("keys of the first sequence", "case.keys[b, one]", "case.keys[0, one]"),
    ("values of the first sequence", "case.values[b, one]", "case.values[0, one]"),
    ("mask ignored", "case.allowed[b, head]", "True"),
    ("mask of the first head", "case.allowed[b, head]", "case.allowed[b, 0]"),
    ("mask of the first sequence", "case.allowed[b, head]", "case.allowed[0, head]"),
    ("masked keys score 0", "-np.inf)", "0.0)"),
    ("temperature ignored", " / case.temperature", ""),
    ("default temperature for all", "case.temperature", "0.5"),
    ("multiplied by the temperature", "/ case.temperature", "* case.temperature"),
    ("no tanh", "np.tanh(case.hyperplanes @ query)", "(case.hyperplanes @ query)"),
    ("tanh of the scaled projection", "np.tanh(case.hyperplanes @ query) / np.sqrt(dim)", "np.tanh(case.hyperplanes @ query / np.sqrt(dim))"),
    ("no scale of the scores", " / np.sqrt(dim)", ""),
    ("scale of the scores 1 / dim", "np.sqrt(dim)", "dim"),
    ("sigmoid(x) for sigmoid(2 x)", "x = 2 * ", "x = "),
    ("plane 0 is the least significant bit", "codes >> (case.planes - 1 - plane)", "codes >> plane"),
    ("last plane dropped", "range(case.planes)", "range(case.planes - 1)"),
    ("bits inverted", "bit == 1, -1, 1", "bit == 1, 1, -1"),
    ("hyperplanes of the next table", "case.hyperplanes @ query", "np.roll(case.hyperplanes, 1, axis=0) @ query"),
    ("last table dropped", "p.sum(axis=0)", "p[:-1].sum(axis=0)"),
    ("product over tables", "p.sum(axis=0)", "p.prod(axis=0)"),
    ("query of the first head of a group", "case.queries[b, head]", "case.queries[b, head // group * group]"),
    ("sink ignored", "case.budget, case.sink, case.window", "case.budget, 0, case.window"),
    ("window ignored", "case.sink, case.window", "case.sink, 0"),
    ("window of one less", "case.sink, case.window", "case.sink, max(0, case.window - 1)"),
    ("sink of one less", "case.sink, case.window", "max(0, case.sink - 1), case.window"),
    ("budget of one less", "case.budget,", "case.budget - 1,"),
    ("budget of one more", "case.budget,", "case.budget + 1,"),
    ("keys behind full tiles of 64 dropped", "soft = np.where(case.allowed[b, head],",
     f"soft = np.where(case.allowed[b, head] & (np.arange(codes.shape[1]) < {BEHIND.format(64, 'codes[0]')}),"),
    ("keys behind full tiles of 128 dropped", "soft = np.where(case.allowed[b, head],",
     f"soft = np.where(case.allowed[b, head] & (np.arange(codes.shape[1]) < {BEHIND.format(128, 'codes[0]')}),"),
    ("the next head's list", "lists[-1][None])[0]", "lists[max(0, len(lists) - 2)][None])[0]"),
]  # fmt: skip

# check -> the function that its mistakes change, and these
_LISTS = {
    "scores": ("scores", SCORES),
    "selection": ("top_k", SELECTION),
    "attention": ("attention", ATTENTION),
    "step": ("step", STEP),
}

MISTAKES = [(check, function, *mistake) for check, (function, mistakes) in _LISTS.items() for mistake in mistakes]


def sources_with(function, right, wrong):
    """The page's kernels, with one passage of one function replaced."""
    source = plain_kernels.NUMPY[function]
    assert source.count(right) == 1, (function, right)
    return {**plain_kernels.NUMPY, function: source.replace(right, wrong)}
