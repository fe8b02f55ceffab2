"""Do the tasks' answers follow from their texts, and are windows of text what they say? Without a model."""

import collections
import gzip
import hashlib
import re

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip("transformers", minversion="5.24")
from socketlab.models import tasks, texts  # noqa: E402

LENGTHS = (1500, 4001)


def encode(text):
    """A token for each character: the longest text there can be."""
    return [ord(letter) for letter in text]


def decode(tokens):
    return "".join(map(chr, tokens))


def solved(task, text, question):
    """The references, from the text alone."""
    if task == "variable_tracking":
        value = re.search(r"assigned the value (\d+) in", question)[1]
        given = re.findall(r"VAR (\S+) = (?:VAR )?(\S+)\.", text)
        chain = {value}
        for name, of in given * 5:
            if of in chain:
                chain.add(name)
        return chain - {value}
    if task in ("common_words", "frequent_words"):
        count = int(re.search(r"What are the (\d+)", question)[1])
        counts = collections.Counter(text.split("\n", 1)[1].split()).most_common(count + 1)
        assert counts[-2][1] > counts[-1][1]  # no tie for the last place
        return {word for word, _ in counts[:-1]}
    asked = re.search(r"numbers? for (.*?) mentioned", question)[1].replace("and ", "").split(", ")
    return {value for key, value in re.findall(r"numbers for (\S+) is: (\d+)\.", text) if key in asked}


@pytest.mark.parametrize("task", tasks.TASKS)
def test_every_answer_follows_from_the_text(task):
    for length in LENGTHS:
        for seed in range(3):
            example = tasks.draw(task, length, seed, encode)
            text, question = (
                decode(example.tokens[: example.question]),
                decode(example.tokens[example.question : example.answer]),
            )
            answer = decode(example.tokens[example.answer :])
            assert len(example.tokens) == length
            assert solved(task, text, question) == set(example.references)
            assert answer == " " + ", ".join(example.references)
            assert example.score(answer) == 1
            missing = example.score(answer.replace(example.references[0], ""))
            assert missing == pytest.approx(1 - 1 / len(example.references))
            changed = text.replace(example.references[-1], "1000001")
            assert solved(task, changed, question) != set(example.references)
            assert np.array_equal(example.tokens, tasks.draw(task, length, seed, encode).tokens)
            assert not np.array_equal(example.tokens, tasks.draw(task, length, seed + 10, encode).tokens)


def test_needles_stand_everywhere():
    depths = [decode(tasks.draw("needle", 3000, seed, encode).tokens).index("One of the special") for seed in range(60)]
    # 60 uniform depths miss the first or the last quarter with probability 2 * 0.75^60 = 6e-8.
    assert min(depths) < 0.25 * 3000
    assert max(depths) > 0.6 * 3000


@pytest.mark.parametrize("task", tasks.TASKS)
def test_a_length_that_does_not_hold_the_task_is_refused(task):
    with pytest.raises(ValueError, match=f"task {task} of 150 tokens: allowed are"):
        tasks.draw(task, 150, 1, encode)


@pytest.fixture
def documents(tmp_path):
    """Three documents of two kinds, one of them a page of HTML, one compressed."""
    for package in ("one", "two"):
        (tmp_path / package).mkdir()
    (tmp_path / "one/a.html").write_text(
        "<p>first <b>words</b></p><script>not this</script>" + "x" * 500, encoding="utf-8"
    )
    (tmp_path / "one/b.txt").write_text("y" * 500, encoding="utf-8")
    (tmp_path / "two/c.txt.gz").write_bytes(gzip.compress(b"z" * 300))
    return texts.documents([tmp_path / "one", tmp_path / "two/c.txt.gz"]), tmp_path


def test_documents_are_read_with_their_hashes(documents):
    found, folder = documents
    assert [(d.kind, d.name) for d in found] == [("one", "a.html"), ("one", "b.txt"), ("two", "c.txt.gz")]
    assert found[0].text == "first words" + "x" * 500
    assert found[2].text == "z" * 300
    assert found[2].sha256 == hashlib.sha256((folder / "two/c.txt.gz").read_bytes()).hexdigest()


def test_windows_do_not_overlap_and_go_round_kinds_and_documents(documents):
    windows = texts.Windows(documents[0], encode, 1)
    count = len(windows.places(99))
    found = [windows.of(99, number) for number in range(count)]
    assert count == 5 + 5 + 3
    assert [w.document for w in found[:4]] == ["a.html", "c.txt.gz", "b.txt", "c.txt.gz"]
    assert len({(w.document, w.start) for w in found}) == count
    assert all(w.start % 100 == 0 and len(w.tokens) == 100 for w in found)
    with pytest.raises(ValueError, match="windows 14 of 99 tokens: allowed are up to 13"):
        windows.of(99, count)


@pytest.mark.parametrize("name", texts.NAMED)
def test_a_missing_package_is_named(tmp_path, name):
    line = f"text {name}: missing packages: apt-get install anarchism bash debian-policy"
    with pytest.raises(ValueError, match=line):
        texts.documents([name], root=tmp_path)
