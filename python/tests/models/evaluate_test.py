"""Is what `python -m socketlab.models` writes what the model does? On a random two-layer model with a tokenizer of words."""

import csv
import json

import numpy as np
import pytest
import socketlab as sl

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
transformers = pytest.importorskip("transformers", minversion="5.24")
tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is not installed")
from socketlab.models import __main__ as program  # noqa: E402
from socketlab.models import compare, contrasts, evaluate, intervals, loading, rankers, rules, texts  # noqa: E402

WORDS = [f"w{i}" for i in range(60)]
LENGTH, ROWS = 160, 8
SIZES = ["--lengths", str(LENGTH), "--rows", str(ROWS), "--sink", "2", "--window", "16", "--device", "cpu"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model as Hugging Face saves it, and texts/: two kinds of documents of random words."""
    place = tmp_path_factory.mktemp("a model")
    torch.manual_seed(1)
    sizes = {"hidden_size": 48, "intermediate_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2}
    config = transformers.LlamaConfig(
        **sizes, vocab_size=64, num_hidden_layers=2, head_dim=64, initializer_range=0.4, max_position_embeddings=512
    )
    transformers.LlamaForCausalLM(config).save_pretrained(place)
    model = tokenizers.models.WordLevel({word: i for i, word in enumerate(["?", *WORDS])}, unk_token="?")
    words = tokenizers.Tokenizer(model)
    words.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    transformers.PreTrainedTokenizerFast(tokenizer_object=words, unk_token="?").save_pretrained(place)
    random = np.random.default_rng(2)
    for package, name, count in (("one", "a.txt", 900), ("one", "b.txt", 400), ("two", "c.txt", 700)):
        path = place / "texts" / package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(" ".join(random.choice(WORDS, count)), encoding="utf-8")
    return place


@pytest.fixture(scope="module")
def model(folder):
    return evaluate.Model(*loading.load(folder, dtype=torch.float32))


def run(folder, out, *more, windows=3):
    asked = ["eval", folder, "--text", folder / "texts/one", folder / "texts/two", "--out", out, *SIZES]
    return program.main([str(word) for word in (*asked, "--windows", windows, *more)])


def losses(out):
    with (out / "cells.csv").open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["kind"] == "text"]
    return {(row["ranker"], row["sparsity"], int(row["window"])): row for row in rows}


@pytest.mark.parametrize("at_once", (50, evaluate.AT_ONCE))
def test_the_dense_loss_is_the_model_s_own_and_all_keys_are_dense(folder, tmp_path, model, at_once, monkeypatch):
    monkeypatch.setattr(evaluate, "AT_ONCE", at_once)
    assert (
        run(folder, tmp_path, "--rankers", "socket-value,quest,group-signed-160", "--sparsities", "1,8", windows=1) == 0
    )
    found = losses(tmp_path)
    windows = texts.Windows(texts.documents([folder / "texts/one", folder / "texts/two"]), model.encode, 1)
    tokens = torch.as_tensor(windows.of(LENGTH, 0).tokens)
    plain = loading.load(folder, dtype=torch.float32)[0]
    with torch.no_grad():
        logits = plain(tokens[None, :-1]).logits[0, -ROWS:]
    expected = torch.nn.functional.cross_entropy(logits, tokens[-ROWS:], reduction="none").tolist()

    dense = found["dense", "0", 0]

    assert [float(x) for x in dense["losses"].split()] == pytest.approx(expected, rel=1e-3)
    assert float(dense["loss"]) == pytest.approx(np.mean(expected), rel=1e-5)
    for ranker in ("socket-value", "quest", "group-signed-160"):
        assert found[ranker, "1", 0]["losses"] == dense["losses"]
        assert float(found[ranker, "1", 0]["mass"]) == 1
        assert found[ranker, "8", 0]["losses"] != dense["losses"]  # the lie: fewer keys
        assert float(found[ranker, "8", 0]["selected"]) == pytest.approx(
            2 + 16 + np.mean([(LENGTH - i) // 8 for i in range(ROWS)])
        )


def test_a_later_token_changes_no_row_before_it(model):
    random = np.random.default_rng(4)
    tokens = random.integers(1, 60, LENGTH)
    other = tokens.copy()
    other[-3] = tokens[-3] % 59 + 1
    cache = model.prefix(tokens[:-ROWS])
    for name in (
        "socket",
        "quest",
        "loki",
        "pqcache",
        "hamming-centred",
        "group-signed-320",
        "signed-norm-600-distance",
    ):
        settings = rankers.settings_of(name, 8, model.group, sink=2, window=16)
        one, two = (model.rows(part[-ROWS:], cache, settings, 0) for part in (tokens, other))
        assert torch.equal(one[:-3], two[:-3]), name
        assert not torch.equal(one[-3:], two[-3:])


def test_a_run_that_was_cut_goes_on_to_the_same_tables(folder, tmp_path):
    options = ["--rankers", "socket,oracle-top-k", "--sparsities", "8", "--head-windows", "1"]
    assert run(folder, tmp_path / "whole", *options) == 0
    assert run(folder, tmp_path / "cut", *options, windows=1) == 0
    path = tmp_path / "cut/cells.csv"
    path.write_bytes(path.read_bytes()[:-40] + b"\ntext,160,0,soc")  # in the midst of a row
    content = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(content[:3] + content[-1:]), encoding="utf-8")
    assert run(folder, tmp_path / "cut", *options) == 0
    whole, cut = losses(tmp_path / "whole"), losses(tmp_path / "cut")
    assert len(whole) == 9
    assert {key: row["losses"] for key, row in whole.items()} == {key: row["losses"] for key, row in cut.items()}
    before = (tmp_path / "cut/cells.csv").read_bytes()
    assert run(folder, tmp_path / "cut", *options) == 0
    assert (tmp_path / "cut/cells.csv").read_bytes() == before  # nothing is run twice


def test_a_folder_of_other_settings_is_refused(folder, tmp_path, capsys):
    assert run(folder, tmp_path, "--rankers", "dense", windows=1) == 0
    assert run(folder, tmp_path, "--rankers", "dense", "--seed", "2", windows=1) == 2
    assert "made with another seed; allowed is an empty folder, or the same" in capsys.readouterr().err


def test_mass_recall_and_error_of_a_head_by_their_definitions(folder, model):
    tokens = np.random.default_rng(5).integers(1, 60, LENGTH)
    settings = rankers.settings_of("cosine-oracle", 8, sink=2, window=16)
    oracle = rankers.settings_of("oracle-top-k", 8, sink=2, window=16)
    probe = evaluate.Probe([("cosine-oracle", 8, settings), ("oracle-top-k", 8, oracle)], 0)
    seen = []
    cache = model.prefix(tokens[:-ROWS])
    model.rows(tokens[-ROWS:], cache, None, 0, seen.append, 1)
    model.rows(tokens[-ROWS:], cache, None, 0, probe, 1)
    q, k, v = (part[0].double().numpy() for part in (seen[1].query, seen[1].key, seen[1].value))
    for head in range(4):
        kv, measured = head // 2, {"mass": [], "recall": [], "error": []}
        for row in range(ROWS):
            count = LENGTH - ROWS + row + 1
            keys, values = k[kv, :count], v[kv, :count]
            logits = keys @ q[head, row] / 8
            weights = np.exp(logits - logits.max()) / np.exp(logits - logits.max()).sum()
            middle = np.arange(2, count - 16)
            places = count // 8
            cosine = logits / np.linalg.norm(keys, axis=-1)
            chosen = set(middle[np.argsort(-cosine[middle], kind="stable")[:places]])
            true = set(middle[np.argsort(-logits[middle], kind="stable")[:places]])
            kept = sorted(chosen | {0, 1} | set(range(count - 16, count)))
            dense, sparse = weights @ values, weights[kept] / weights[kept].sum() @ values[kept]
            measured["mass"].append(weights[kept].sum())
            measured["recall"].append(len(chosen & true) / places)
            measured["error"].append(np.linalg.norm(sparse - dense) / np.linalg.norm(dense))
        row = next(r for r in probe.rows if (r["ranker"], r["layer"], r["head"]) == ("cosine-oracle", 1, head))
        assert {name: row[name] for name in measured} == pytest.approx(
            {n: np.mean(x) for n, x in measured.items()}, rel=1e-3
        )
    assert all(row["recall"] == 1 for row in probe.rows if row["ranker"] == "oracle-top-k")
    assert min(row["recall"] for row in probe.rows if row["ranker"] == "cosine-oracle") < 1


def test_a_greedy_answer_is_that_of_generate(folder, model):
    tokens = np.random.default_rng(6).integers(1, 60, LENGTH)
    found = model.answer(tokens[-10:], 6, model.prefix(tokens[:-10]), None, 0)
    plain, tokenizer = loading.load(folder, dtype=torch.float32)
    made = plain.generate(torch.as_tensor(tokens)[None], max_new_tokens=6, do_sample=False, eos_token_id=None)
    assert found == tokenizer.decode(made[0, LENGTH:])


def test_dense_layers_leave_the_others_sparse(model):
    tokens = np.random.default_rng(7).integers(1, 60, LENGTH)
    cache, layers = model.prefix(tokens[:-ROWS]), []
    settings = rankers.settings_of("socket", 8, dense_layers=1)
    model.rows(tokens[-ROWS:], cache, settings, 0, lambda seen: layers.append(seen.layer))
    assert layers == [1]


def test_captured_heads_attend_as_the_model_does(folder, tmp_path, model):
    out = tmp_path / "heads.safetensors"
    asked = ["capture", folder, "--text", folder / "texts/one", "--length", LENGTH, "--queries", ROWS, "--layers", "1"]
    assert program.main([str(word) for word in (*asked, "--kv-heads", "1", "--device", "cpu", "--out", out)]) == 0
    from safetensors import safe_open

    with safe_open(out, "pt") as file:
        q, k, v = (file.get_tensor(name).double().numpy() for name in "qkv")
        heads = json.loads(file.metadata()["heads"])
    assert (q.shape, k.shape, v.shape) == ((2, ROWS, 64), (1, LENGTH, 64), (1, LENGTH, 64))
    assert [(one["layer"], one["kv_head"], [head["head"] for head in one["heads"]]) for one in heads] == [
        (1, 1, [2, 3])
    ]
    windows = texts.Windows(texts.documents([folder / "texts/one"]), model.encode, 1)
    tokens, seen = windows.of(LENGTH, 0).tokens[:-1], []
    model.rows(tokens[-ROWS:], model.prefix(tokens[:-ROWS]), None, 0, seen.append, 1)
    dense = rules.attend(seen[1].logits, seen[1].value)[0, 2:].numpy()
    causal = np.arange(LENGTH) <= np.arange(LENGTH - ROWS, LENGTH)[:, None]

    found = sl.attend(q, k, v, budget=LENGTH, mask=causal).output

    error = np.linalg.norm(found - dense) / np.linalg.norm(dense)
    assert error < 2**-5  # bf16 of q and k moves a logit of some 10 by 2^-8 of it
    other = sl.attend(q[::-1].copy(), k, v, budget=LENGTH, mask=causal).output
    assert np.linalg.norm(other - dense) / np.linalg.norm(dense) > 2**-5


def test_capture_of_another_layer_names_those_there_are(folder, tmp_path, capsys):
    out = tmp_path / "heads.safetensors"
    asked = ["capture", folder, "--text", folder / "texts/one", "--length", LENGTH, "--layers", "99", "--device", "cpu"]
    assert program.main([str(word) for word in (*asked, "--out", out)]) == 2
    assert capsys.readouterr().err.endswith("layers 99: without full attention; allowed are 0, 1\n")
    assert not out.exists()


def test_list_needs_no_model(capsys):
    with pytest.raises(SystemExit) as ended:
        program.main(["eval", "--list"])
    assert not ended.value.code
    listed = capsys.readouterr().out.split()
    assert {"socket", "quest-4", "needle"} < set(listed)


# 2 of 2^2 draws, 3 of 3^3 and 4 of 4^4 have one cluster alone: 1/2, 1/9 and 1/64.
@pytest.mark.parametrize(("level", "fewest"), [(0.5, 3), (0.88, 3), (0.89, 4), (0.95, 4), (0.98, 4), (0.99, 5)])
def test_the_fewest_clusters_of_an_interval(level, fewest):
    assert intervals.fewest(level) == fewest


@pytest.mark.parametrize(("clusters", "said"), [(2, True), (3, True), (4, False)])
def test_intervals_without_an_end_are_said(folder, tmp_path, capsys, clusters, said):
    assert run(folder, tmp_path, "--rankers", "socket", windows=clusters) == 0
    capsys.readouterr()
    assert program.main(["compare", str(tmp_path), "--cluster", "window"]) == 0
    out = capsys.readouterr().out
    assert out.endswith(f"\nintervals need at least 4 windows; here {clusters}\n") == said
    assert ("-inf" in out) == said


def test_compare_pairs_windows_by_number(folder, tmp_path, capsys):
    options = ["--rankers", "socket,socket-value,hamming", "--sparsities", "33,10", "--further", "socket,hamming"]
    assert run(folder, tmp_path, *options, windows=5) == 0
    path = tmp_path / "cells.csv"
    head, *rows = path.read_text(encoding="utf-8").splitlines()
    path.write_text(
        "\n".join([head, *sorted(rows, reverse=True)]) + "\n", encoding="utf-8"
    )  # another order, the same numbers

    assert program.main(["compare", str(tmp_path), "--cluster", "window"]) == 0

    assert "planned contrasts of loss, 95% for all 3 at once" in capsys.readouterr().out
    found = losses(tmp_path)
    with (tmp_path / "contrasts.csv").open(newline="", encoding="utf-8") as file:
        table = {(row["contrast"], row["sparsity"]): row for row in csv.DictReader(file)}
    assert set(table) == {("value norm", "33"), ("Hamming", "33"), ("Hamming", "10")}
    pairs = [(found["socket-value", "33", i], found["socket", "33", i]) for i in range(5)]
    differences = [float(a["loss"]) - float(b["loss"]) for a, b in pairs]
    cells = evaluate.cells_of(tmp_path)
    both = [cells["text", LENGTH, name, 33.0, 0] for name in ("socket-value", "socket")]
    assert compare._paired([(None, LENGTH, *both)], "window")[0][:, 0] == pytest.approx(differences)
    row = table["value norm", "33"]
    assert float(row["difference"]) == pytest.approx(np.mean(differences), rel=1e-3)
    assert float(row["low"]) < np.mean(differences) < float(row["high"])
    excess = next(r for r in compare.losses(cells, "window") if (r["ranker"], r["sparsity"]) == ("hamming", 10))
    by_hand = [float(found["hamming", "10", i]["loss"]) - float(found["dense", "0", i]["loss"]) for i in range(5)]
    assert excess["excess"] == pytest.approx(np.mean(by_hand), abs=1e-6)
    position = [r["excess"] for r in compare.positions(cells) if (r["ranker"], r["sparsity"]) == ("hamming", 10)]
    assert (len(position), np.mean(position)) == (ROWS, pytest.approx(excess["excess"], abs=2e-3))

    del cells["text", LENGTH, "hamming", 10.0, 0][3]  # as if the run had ended before it
    shared = {row["ranker"]: row for row in compare.losses(compare.common(cells), "window") if row["sparsity"] == 33}
    by_hand = [float(found["socket", "33", i]["loss"]) - float(found["dense", "0", i]["loss"]) for i in (0, 1, 2, 4)]
    assert {row["windows"] for row in shared.values()} == {4}
    assert shared["socket"]["excess"] == pytest.approx(np.mean(by_hand), abs=1e-6)


def test_every_planned_ranker_is_known():
    assert set(contrasts.RANKERS) < set(rankers.NAMES)


@pytest.mark.parametrize(
    ("more", "line"),
    [
        (["--rankers", "nobody"], "ranker nobody: allowed are dense, socket"),
        (["--tasks", "hay"], "task hay: allowed are needle"),
        (["--windows", "99"], "windows 99 of 160 tokens: allowed are up to 11 in"),
        (["--rows", "200"], "allowed are more than rows"),
        (["--text", "/no/such"], "text /no/such: not there"),
        (["--device", "cuda:0"], "device cuda:0: no GPU here; allowed is cpu"),
    ],
)
def test_bad_input_is_one_line_and_2(folder, tmp_path, capsys, monkeypatch, more, line):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert run(folder, tmp_path, "--rankers", "dense", *more) == 2
    error = capsys.readouterr().err
    assert line in error
    assert error.count("\n") == 1


def test_a_word_that_is_no_number_ends_with_2(folder, capsys):
    with pytest.raises(SystemExit) as ended:
        program.main(["eval", str(folder), "--out", "x", "--lengths", "4k"])
    assert ended.value.code == 2
    assert "'4k': allowed are whole numbers from 128" in capsys.readouterr().err


def test_the_command_writes_what_the_lists_left_out(folder, tmp_path, capsys):
    asked = ["residual", folder, "--text", folder / "texts/one", folder / "texts/two", "--out", tmp_path, "--length", 300,
             "--rows", 6, "--sink", 2, "--window", 16, "--windows", 3, "--examples", 1, "--bits", "60,128", "--device", "cpu"]  # fmt: skip
    assert program.main([str(word) for word in asked]) == 0
    tables = {}
    for name in ("widths", "heads", "rules", "flags"):
        with (tmp_path / f"residual_{name}.csv").open(newline="", encoding="utf-8") as file:
            tables[name] = list(csv.DictReader(file))
    assert {row["bits"] for row in tables["widths"]} == {"64", "128"}
    assert len(tables["heads"]) == 2 * 2 * 4  # codes, layers, heads
    count = 3 * 2 * 4 * 6
    for row in tables["widths"]:
        assert int(row["rows"]) == count
        if row["limit"] != "nominal":
            assert int(row["above"]) < 2 * count * float(row["delta"]), row
            assert float(row["over_median"]) >= 1
    rows = {(row["rule"], row["lists"], row["parameter"]): row for row in tables["rules"]}
    assert float(rows["fixed", "head", "3"]["residual"]) < float(rows["fixed", "head", "33"]["residual"])
    oracle = rows["oracle top-p", "head", "0.95"]
    assert float(oracle["target_met"]) == 1 and float(oracle["residual"]) <= 0.05
    assert float(rows["top-p", "head", "0.95"]["read"]) > 0
    assert capsys.readouterr().out.count("text") == 3
    asked[asked.index("--rows") + 1] = 300
    assert program.main([str(word) for word in asked]) == 2
    assert "allowed are more than rows" in capsys.readouterr().err
