"""Which differences were planned before the large run? Only these are called findings; everything else is a description.

Each is the loss of a ranker less that of another at the same windows, sparsity and length; all that a run has hold at
once. docs/experiments/models_contrasts.md says why each; this file imports nothing, so that the page can be made from it.
"""

LENGTHS = (4096, 8000)
SPARSITIES = (33, 10)
# (name, ranker, the one it is held against, what it decides)
PLANNED = (
    ("value norm", "socket-value", "socket", "Do Algorithms 3 and 4 gain by the factor |v|?"),
    ("unscaled", "socket-unscaled", "socket", "Does tanh(Wq) need its divisor sqrt(d), which document 000 leaves out?"),
    ("Hamming", "hamming", "socket", "Do soft tables rank better than a count of their equal bits?"),
    ("q.k - cosine", "oracle-top-k", "cosine-oracle", "Does the key's norm help where the dot product is exact?"),
    ("Quest", "quest", "socket", "Is a bound over pages of 16 keys as good as codes of 600 bits?"),
    (
        "one list, 160 bits",
        "group-signed-160",
        "socket",
        "Does one list for a KV head from a quarter of the bits suffice?",
    ),
    ("one list, 320 bits", "group-signed-320", "socket", "Does it from half of the bits?"),
    ("distance", "oracle-distance", "oracle-top-k-value", "Is the distance from the output the right factor?"),
)
RANKERS = tuple(dict.fromkeys(name for _, *pair, _ in PLANNED for name in pair))
