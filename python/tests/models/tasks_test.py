"""Do the tasks' answers follow from their texts, and are windows of text what they say? Without a model."""

import collections
import gzip
import hashlib
import re

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip("transformers", reason="transformers is not installed")
from socketlab.models import intervals, tasks, texts  # noqa: E402

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


CLUSTERS, EACH, CONTRASTS, TRUTH = 24, 4, 12, 0.3


def clustered(random):
    """Differences [windows, contrasts] of mean TRUTH whose clusters share most of their noise, exponential."""
    shared = random.exponential(size=(CLUSTERS, 1, CONTRASTS)) - 1
    own = random.exponential(size=(CLUSTERS, EACH, CONTRASTS)) - 1
    return (TRUTH + (shared + 0.5 * own) * np.linspace(0.1, 3, CONTRASTS)).reshape(-1, CONTRASTS)


def test_simultaneous_intervals_by_cluster_cover_and_those_by_window_or_pointwise_do_not():
    random, hits = np.random.default_rng(5), np.zeros(3)
    names, trials = np.repeat(np.arange(CLUSTERS), EACH), 200
    for trial in range(trials):
        d = clustered(random)
        found = [intervals.of_means(d, each, resamples=400, seed=trial) for each in (names, np.arange(len(d)))]
        error = (found[0].high - found[0].mean) / found[0].half_width
        bounds = [(f.low, f.high) for f in found] + [(found[0].mean - 1.96 * error, found[0].mean + 1.96 * error)]
        hits += [bool(((low <= TRUTH) & (high >= TRUTH)).all()) for low, high in bounds]
    # 95% less four deviations of 200 tables (4 x 1.5%) and 4% for the bootstrap of 24 skewed clusters.
    assert hits[0] >= 0.85 * trials
    assert hits[1] < 0.6 * trials
    assert hits[2] < 0.75 * trials


def test_one_contrast_of_windows_is_student_s():
    normal = np.random.default_rng(1).standard_normal((30, 1))
    found = intervals.of_means(normal, np.arange(30), resamples=20000)
    assert found.half_width == pytest.approx(2.045, abs=0.3)  # t of 29 degrees at 97.5%
    error = normal.std(ddof=1) / np.sqrt(30)
    assert (found.high - found.mean)[0] == pytest.approx(found.half_width * error)


def test_a_contrast_at_some_windows_alone_has_their_mean():
    d = np.random.default_rng(2).standard_normal((40, 2))
    d[20:, 1] = np.nan
    found = intervals.of_means(d, np.arange(40))
    assert found.mean[1] == pytest.approx(d[:20, 1].mean())
    assert found.low[1] < found.mean[1] < found.high[1]
    d[:, 1] = 0
    assert np.isnan(intervals.of_means(d, np.arange(40)).low[1])
    with pytest.raises(ValueError, match="1 clusters: allowed are two and more"):
        intervals.of_means(d, np.zeros(40))
