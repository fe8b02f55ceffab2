"""socketlab.gpu.Index on CPU tensors with a library that only writes down its arguments."""

import pytest
import socketlab as sl
from recorded import PLANES, cache

torch = pytest.importorskip("torch", reason="PyTorch is not installed")


def test_an_index_lies_in_place_where_it_can(library):
    keys, values = cache(), cache()
    index = sl.gpu.Index(keys, values, tables=6, planes=8, used=100, library=library)
    assert index.keys.data_ptr() == keys.data_ptr() and index.values.data_ptr() == values.data_ptr()
    assert (index.used, index.capacity, index.packed.shape) == (100, 128, (2, 3, 2, 2, 64))
    args = library.last
    assert (args.first, args.count, args.planes, args.values) == (0, 100, 8, values.data_ptr())
    given = sl.hyperplanes(tables=6, planes=8, dim=64, seed=1)
    assert torch.equal(index.hyperplanes, torch.tensor(given).bfloat16().float())
    grown = sl.gpu.Index(keys[0, :, :100].contiguous(), values[0, :, :100].contiguous(), capacity=150, library=library)
    assert (grown.capacity, grown.used, grown.keys.shape) == (192, 100, (1, 3, 192, 64))
    assert torch.equal(grown.keys[0, :, :100], keys[0, :, :100])


def test_append_writes_behind_the_used_keys_and_no_further(library):
    index = sl.gpu.Index(cache(), cache(), used=126, library=library)
    k, v = cache(1), cache(1)
    index.append(k, v)
    assert (
        index.used == 127 and torch.equal(index.keys[:, :, 126:127], k) and torch.equal(index.values[:, :, 126:127], v)
    )
    assert (library.last.first, library.last.count) == (126, 1)
    with pytest.raises(ValueError, match="^append: 2 keys after 127 of 128; allowed are 1$"):
        index.append(cache(2), cache(2))
    assert index.used == 127


def test_index_building_passes_lengths_on(library):
    keys, codes = cache(), torch.zeros(2, 3, 5, 128, dtype=torch.int16)
    lengths = torch.tensor([7, 99], dtype=torch.int32)
    calls = {
        "skt_hash_keys": lambda **given: sl.gpu.hash_keys(keys, PLANES, library=library, **given),
        "skt_value_norms": lambda **given: sl.gpu.value_norms(keys, library=library, **given),
        "skt_pack_codes": lambda **given: sl.gpu.pack_codes(codes, planes=7, library=library, **given),
        "skt_build_index": lambda **given: sl.gpu.build_index(keys, PLANES, keys, library=library, **given),
    }
    for operation, call in calls.items():
        call(count=3, lengths=lengths)
        args = library.last
        assert library.calls[-1][0] == operation
        assert (args.lengths, args.first, args.count, args.capacity) == (lengths.data_ptr(), 0, 3, 128)
        call(lengths=lengths)
        assert library.last.count == 128
        call(first=2)
        assert (library.last.lengths, library.last.first, library.last.count) == (None, 2, 126)
        with pytest.raises(ValueError, match=r"^lengths: shape \[1\]; allowed is \[2\]$"):
            call(lengths=lengths[:1])
        with pytest.raises(TypeError, match="^lengths: int64"):
            call(lengths=lengths.long())


def appended_by_hand(before, given, lengths):
    """The cache as a list of places: what is given goes to the last ones of each length, if these are in the cache."""
    after, count = before.clone(), given.shape[2]
    for b, length in enumerate(lengths):
        for i in range(count):
            place = length - count + i
            if 0 <= place < before.shape[2]:
                after[b, :, place] = given[b, :, i]
    return after


@pytest.mark.parametrize("count", [1, 3, 128])
@pytest.mark.parametrize(
    "lengths", [(1, 64), (65, 3), (0, 128), (129, -1), (2, 130), (2**31 - 1, -(2**31)), (127, 127)]
)
def test_append_with_lengths_writes_the_last_places_of_each_sequence(library, lengths, count):
    index = sl.gpu.Index(cache(), cache(), used=5, library=library)
    keys, values, k, v = index.keys.clone(), index.values.clone(), cache(count), cache(count)
    on_device = torch.tensor(lengths, dtype=torch.int32)
    index.append(k, v, lengths=on_device)
    assert torch.equal(index.keys, appended_by_hand(keys, k, lengths))
    assert torch.equal(index.values, appended_by_hand(values, v, lengths))
    args = library.last
    assert (args.lengths, args.first, args.count) == (on_device.data_ptr(), 0, count)
    assert (args.keys, args.packed, index.used) == (index.keys.data_ptr(), index.packed.data_ptr(), 5)


def test_append_with_lengths_refuses_what_no_cache_takes(library):
    index = sl.gpu.Index(cache(), cache(), library=library)
    before, calls = index.keys.clone(), len(library.calls)
    refused = [
        (
            cache(129),
            torch.zeros(2, dtype=torch.int32),
            ValueError,
            "append: 129 keys for a capacity of 128; allowed are",
        ),
        (cache(1), torch.zeros(3, dtype=torch.int32), ValueError, r"lengths: shape \[3\]; allowed is \[2\]"),
        (cache(1), torch.zeros(2), TypeError, "lengths: float32"),
        (cache(1), [1, 2], TypeError, "lengths: list; allowed are tensors"),
    ]
    for given, lengths, kind, line in refused:
        with pytest.raises(kind, match=f"^{line}"):
            index.append(given, given, lengths=lengths)
    assert torch.equal(index.keys, before) and len(library.calls) == calls
