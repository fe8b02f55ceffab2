"""What is read in place, what is converted, and what that costs."""

import copy
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import socketlab as sl
from conftest import least, refused
from socketlab import _core
from socketlab._arrays import as_stored, reals


def test_a_contiguous_array_of_doubles_is_seen_where_it_lies():
    array = np.arange(12.0).reshape(3, 4)
    assert _core.address(reals(array, "x", 2)) == array.__array_interface__["data"][0]
    assert as_stored(array, "x").__array_interface__["data"] == array.__array_interface__["data"]
    # Another order is copied, and the core then sees the copy.
    assert _core.address(reals(array.T, "x", 2)) != array.__array_interface__["data"][0]


def test_a_read_only_array_will_do():
    array = np.arange(12.0).reshape(3, 4)
    array.flags.writeable = False
    assert _core.address(reals(array, "x", 2)) == array.__array_interface__["data"][0]


def test_types_and_orders_change_nothing_but_rounding():
    made = sl.instance("gaussian", keys=40, dim=8, seed=2)
    q, k, v = (np.round(x, 2).astype(np.float32) for x in (made.query, made.keys, made.values))
    plain = sl.attend(q, k, v, budget=7, tables=6, planes=4)
    doubled = sl.attend(q.astype(float), np.asfortranarray(k), v[::-1].copy()[::-1], budget=7, tables=6, planes=4)
    assert (plain.selected == doubled.selected).all()
    assert (plain.output == doubled.output).all()


class Dlpack:
    """An array that offers DLPack and nothing else, as another framework's; `device` as it would say."""

    def __init__(self, array, device=1):
        self.array, self.device = array, device

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return (self.device, 0)


def test_what_offers_dlpack_is_seen_in_place():
    array = np.arange(12.0).reshape(3, 4)
    assert _core.address(reals(Dlpack(array), "x", 2)) == array.__array_interface__["data"][0]
    with pytest.raises(ValueError, match="keys: the array is not on the CPU"):
        sl.hash_keys(np.ones((1, 1, 4)), Dlpack(array, device=2))
    plain, seen = (sl.attend(of(array[0]), of(array), of(array), budget=1).output for of in (np.copy, Dlpack))
    assert (plain == seen).all()
    assert sl.check.bias(Dlpack(array), claimed_mean=5.5).mean == 5.5


@pytest.mark.parametrize("dtype", [np.complex128, np.int64, "U3", bool])
def test_another_type_is_refused(dtype):
    with pytest.raises(ValueError, match="^k: .*; allowed is float16, bfloat16, float32 or float64"):
        sl.attend(np.ones(2), np.ones((3, 2)).astype(dtype), np.ones((3, 2)), budget=1)


class OfEightBits:
    """As PyTorch shows a tensor of fp8: NumPy has no name for it."""

    dtype, shape = "torch.float8_e4m3fn", (3, 2)

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **_):
        raise BufferError("Unsupported dtype in DLTensor")


def test_fp8_is_refused_with_what_it_can_become():
    line = r"^k: float8_e4m3fn \[3, 2\]; allowed is float16, bfloat16, float32 or float64, as .to\(torch.bfloat16\) makes it$"
    refused(ValueError, line, lambda: sl.attend(np.ones(2), OfEightBits(), np.ones((3, 2)), budget=1))
    refused(ValueError, "^keys: float8_e4m3fn", lambda: sl.hash_keys(np.ones((1, 1, 2)), OfEightBits()))


def test_bfloat16_and_fp8_of_numpy():
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")
    k = np.array([[0.5, 1.0], [-3.0, 2.0], [1.0, 1.25]])
    got, plain = (sl.attend(k[0], of, k, budget=1, tables=2, planes=2) for of in (k.astype(ml_dtypes.bfloat16), k))
    assert (got.output == plain.output).all()
    assert (got.scores == plain.scores).all()
    line = r"^k: float8_e4m3fn \[3, 2\]; allowed is .*float64, as .astype\('float32'\) makes it$"
    refused(ValueError, line, lambda: sl.attend(k[0], k.astype(ml_dtypes.float8_e4m3fn), k, budget=1))


def test_too_little_memory_is_said_with_what_was_asked_for():
    script = """
import resource, numpy as np, socketlab as sl
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
k = np.ones((64, 2))
try:
    sl.attend(k[:1], k, k, budget=1, tables=1 << 23, planes=1, threads=1)
except MemoryError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout == (
        "attend: not enough memory for q [1, 2], k [64, 2], v [64, 2], budget=1, tables=8388608, planes=1, threads=1; fewer "
        "queries or keys at a time, and fewer tables need less\n"
    ), done.stderr


def test_another_type_is_refused_in_the_command_s_words(command, saved, tmp_path):
    q, k = np.ones((1, 2)), np.ones((3, 2))
    paths = {"queries": saved("q", q), "keys": saved("k", k.astype(np.int64)), "values": saved("v", k)}
    options = [word for name, path in paths.items() for word in (f"--{name}", path)]
    done = command("attend", *options, "--budget", 1, "--out", tmp_path / "out")
    assert done.returncode == 2
    with pytest.raises(ValueError) as refused:
        sl.attend(q, k.astype(np.int64), k, budget=1)
    assert done.stderr.replace(f"socketlab: {paths['keys']}: ", "k: ").startswith(str(refused.value))
    with pytest.raises(ValueError, match="^mask: int64 .*; allowed is bool, float16"):
        sl.attend(q, k, k, budget=1, mask=np.ones(3, np.int64))


def test_the_other_order_of_bytes_changes_nothing():
    made = sl.instance("gaussian", keys=9, dim=4)
    arrays = (made.query, made.keys, made.values)
    plain, swapped = (
        sl.attend(*(array.astype(dtype) for array in arrays), budget=2, tables=3, planes=2) for dtype in ("<f8", ">f8")
    )
    assert (plain.output == swapped.output).all()


def test_masked_arrays_are_refused_for_their_mask_is_not_read():
    keys = np.ma.array(np.ones((3, 2)), mask=[[0, 0], [1, 1], [0, 0]])
    calls = {
        "k": [lambda: sl.attend(np.ones(2), keys, np.ones((3, 2)), budget=1)],
        "keys": [lambda: sl.hash_keys(np.ones((1, 1, 2)), keys)],
        "scores": [lambda: sl.check.selection(np.ma.array([1.0, 2.0], mask=[0, 1]), [1], budget=1)],
        "selected": [lambda: sl.check.selection([1.0, 2.0], np.ma.array([1], mask=[1]), budget=1)],
        "q": [lambda: sl.check.attention(keys, np.ones((1, 2)), np.ones((1, 2)), [[0]] * 3, np.ones((3, 2)))],
    }
    for name, wrong in calls.items():
        for call in wrong:
            with pytest.raises(ValueError, match=rf"^{name}: a masked array \[.*\]; allowed is one without a mask"):
                call()


def test_a_tensor_without_memory_is_refused_by_its_name():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    nowhere, ones = torch.ones(3, 2, device="meta"), np.ones((3, 2))
    with pytest.raises(ValueError, match="^k: NumPy cannot see the array: "):
        sl.attend(np.ones(2), nowhere, ones, budget=1)
    with pytest.raises(ValueError, match="^scores: NumPy cannot see the array: "):
        sl.check.selection(nowhere, [[0]] * 3, budget=1)


def test_a_million_keys_take_the_memory_of_their_codes_and_blocks():
    # 2^20 keys of 16 doubles are 128 MiB, their codes in one table 4 MiB, and a block of keys some MiB a thread.
    script = """
import resource, numpy as np, socketlab as sl
keys = np.ones((1 << 20, 16)); keys[:, 0] = np.arange(1 << 20) % 97
h = sl.hyperplanes(tables=1, planes=4, dim=16)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
sl.hash_keys(h, keys)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 64 * 1024  # KiB: half of a copy


def most():
    """Of a call, above what C++ computes: 20 us, or eight times what NumPy takes for three arrays of one number, if longer.

    Of the calls here soft_scores takes most: five to six times what its three arrays take.
    """
    return max(20e-6, 8 * least(lambda: (np.ones((1, 1, 1)), np.ones(1), np.ones((1, 1)))))


def attend():
    one = np.ones((1, 1))
    return sl.attend(one, one, one, budget=1, tables=1, planes=1)


CALLS = {
    "scores": lambda: sl.soft_scores(np.ones((1, 1, 1)), np.ones(1), np.ones((1, 1))),
    "oracle": lambda: sl.oracle.epsilon(planes=8, temperature=0.5, dim=128, query_norm=1.0),
}


def test_python_adds_little_to_the_core(monkeypatch):
    # A core that gives what it gave before takes no time but that of a copy.
    core, given = _core.attend, []

    def remembered(*arguments):
        given.append(core(*arguments))
        return copy.copy(given[-1])

    monkeypatch.setattr(_core, "attend", remembered)
    attend()
    monkeypatch.setattr(_core, "attend", lambda *_: copy.copy(given[0]))
    assert least(attend) < most()


@pytest.mark.parametrize("function", CALLS)
def test_a_call_that_computes_next_to_nothing_costs_little(function):
    assert least(CALLS[function]) < most()  # with all that the binding does


def test_the_import_is_quick():
    script = "import time; t = time.perf_counter(); import socketlab; print(time.perf_counter() - t)"
    times = [
        float(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout)
        for _ in range(3)
    ]
    print(f"import: {min(times):.3f} s")
    assert min(times) < 0.3


def test_other_threads_of_python_run_meanwhile():
    keys, hyperplanes = np.ones((20000, 64)), sl.hyperplanes(tables=40, planes=10, dim=64)
    seen, done = [], threading.Event()

    def watch():
        while not done.wait(0.001):
            seen.append(time.perf_counter())

    watcher = threading.Thread(target=watch)
    watcher.start()
    start = time.perf_counter()
    sl.hash_keys(hyperplanes, keys, threads=1)
    end = time.perf_counter()
    done.set()
    watcher.join()
    # Were the lock held, nothing would be seen between the start and the end.
    assert sum(start < at < end for at in seen) >= 3
