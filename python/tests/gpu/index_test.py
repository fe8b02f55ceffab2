"""socketlab.gpu.Index on CPU tensors with a library that only writes down its arguments."""

import pytest
import socketlab as sl
from conftest import refused
from recorded import PLANES, an_index, cache, int32, torch


def test_an_index_lies_in_place_where_it_can(library):
    keys, values = cache(), cache()
    index = sl.gpu.Index(keys, values, tables=6, planes=8, used=100, library=library)
    library.saw("skt_build_index", keys=keys, values=values, first=0, count=100, tables=6, planes=8)
    assert index.keys.data_ptr() == keys.data_ptr() and index.values.data_ptr() == values.data_ptr()
    assert (index.used, index.capacity, index.packed.shape) == (100, 128, (2, 3, 2, 2, 64))
    given = sl.hyperplanes(tables=6, planes=8, dim=64, seed=1)
    assert torch.equal(index.hyperplanes, torch.tensor(given).bfloat16().float())
    grown = sl.gpu.Index(keys[0, :, :100].contiguous(), values[0, :, :100].contiguous(), capacity=150, library=library)
    assert (grown.capacity, grown.used, grown.keys.shape) == (192, 100, (1, 3, 192, 64))
    assert torch.equal(grown.keys[0, :, :100], keys[0, :, :100])


def test_append_writes_behind_the_used_keys_and_no_further(library):
    index = an_index(library, used=126)
    k, v = cache(1), cache(1)
    index.append(k, v)
    library.saw(first=126, count=1)
    assert torch.equal(index.keys[:, :, 126:127], k) and torch.equal(index.values[:, :, 126:127], v)
    refused(ValueError, "^append: 2 keys after 127 of 128; allowed are 1$", lambda: index.append(cache(2), cache(2)))
    assert index.used == 127


def test_index_building_passes_lengths_on(library):
    keys, codes, lengths = cache(), torch.zeros(2, 3, 5, 128, dtype=torch.int16), int32(7, 99)
    calls = {
        "skt_hash_keys": lambda **given: sl.gpu.hash_keys(keys, PLANES, library=library, **given),
        "skt_value_norms": lambda **given: sl.gpu.value_norms(keys, library=library, **given),
        "skt_pack_codes": lambda **given: sl.gpu.pack_codes(codes, planes=7, library=library, **given),
        "skt_build_index": lambda **given: sl.gpu.build_index(keys, PLANES, keys, library=library, **given),
    }
    for operation, call in calls.items():
        call(count=3, lengths=lengths)
        library.saw(operation, lengths=lengths, first=0, count=3, capacity=128)
        call(lengths=lengths)
        library.saw(count=128)
        call(first=2)
        library.saw(lengths=None, first=2, count=126)
        refused(ValueError, r"^lengths: shape \[1\]; allowed is \[2\]$", lambda: call(lengths=lengths[:1]))


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
    index = an_index(library, used=5)
    keys, values, k, v = index.keys.clone(), index.values.clone(), cache(count), cache(count)
    on_device = int32(*lengths)
    index.append(k, v, lengths=on_device)
    assert torch.equal(index.keys, appended_by_hand(keys, k, lengths))
    assert torch.equal(index.values, appended_by_hand(values, v, lengths))
    library.saw(lengths=on_device, first=0, count=count, keys=index.keys, packed=index.packed)
    assert index.used == 5


@pytest.mark.parametrize(
    ("count", "lengths", "kind", "line"),
    [
        (129, int32(0, 0), ValueError, "append: 129 keys for a capacity of 128; allowed are"),
        (1, int32(0, 0, 0), ValueError, r"lengths: shape \[3\]; allowed is \[2\]"),
        (1, [1, 2], TypeError, "lengths: list; allowed are tensors"),
    ],
)
def test_append_with_lengths_refuses_what_no_cache_takes(library, count, lengths, kind, line):
    index = an_index(library)
    before, calls, given = index.keys.clone(), len(library.calls), cache(count)
    refused(kind, f"^{line}", lambda: index.append(given, given, lengths=lengths))
    assert torch.equal(index.keys, before) and len(library.calls) == calls
