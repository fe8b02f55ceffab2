"""Which numbers is a text? Those of a byte-level BPE trained on the training part of the corpus; every byte string of
UTF-8 has one, and decoding gives the text back.

Digits stand alone, so that a number of seven digits is seven tokens and reading it off takes seven right steps. One
special token, the first, ends a file; no text of a program holds its name by chance.
"""

from pathlib import Path

import tokenizers
from tokenizers import decoders, models, pre_tokenizers, trainers

from learned_attention.refusals import Refused, write_whole

END_OF_FILE = "<|learned-attention:end-of-file|>"
END_OF_FILE_TOKEN = 0
# Of a token, in bytes: longer ones are rules of dashes and licences, which waste entries.
LONGEST = 16


def trained(texts, vocabulary):
    """The tokenizer of `vocabulary` entries for an iterable of texts."""
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=[END_OF_FILE],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        max_token_length=LONGEST,
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    if tokenizer.get_vocab_size() != vocabulary:
        raise Refused(
            f"the tokenizer found {tokenizer.get_vocab_size()} entries of {vocabulary}; allowed is more text or a "
            "smaller vocabulary"
        )
    return tokenizer


def write(tokenizer, path):
    write_whole(path, tokenizer.to_str(pretty=True).encode())


def read(path):
    """The tokenizer of a file, also for worker processes."""
    path = Path(path)
    if not path.is_file():
        raise Refused(f"{path}: no such file; allowed is the tokenizer.json of a folder that train wrote")
    try:
        tokenizer = tokenizers.Tokenizer.from_str(path.read_text(encoding="utf-8"))
    except Exception as error:  # the package raises nothing narrower
        raise Refused(f"{path}: {error}; allowed is a tokenizer.json that train wrote") from error
    if tokenizer.token_to_id(END_OF_FILE) != END_OF_FILE_TOKEN:
        raise Refused(f"{path}: the first entry is not {END_OF_FILE}; allowed is a tokenizer.json that train wrote")
    return tokenizer


def encoder(tokenizer):
    """encode(text) -> list of tokens, without a special token."""
    return lambda text: tokenizer.encode(text, add_special_tokens=False).ids
