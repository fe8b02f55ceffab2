// What the functions that build an index must refuse; refusals.cpp says how.
#include "gpu/check/operations/refusals.hpp"

namespace skt::gpu {
namespace {

// Of a function that appends: a place beside lengths, and lengths that are not aligned.
template <class Arguments>
void refuse_lengths(const CheckCase& c, Refusals<Arguments>& function) {
  const DeviceArray<std::int32_t> lengths(std::vector<std::int32_t>(c.batch, 1));
  const std::int32_t* there = lengths.data();
  function.optional_pointer("lengths", &skt_written::lengths, there);
  function.refused("a place beside lengths",
                   [&](Arguments& a) { a.written = {.first = 1, .count = 1, .lengths = there}; });
}

void refuse_hash_keys(const Library& library, const CheckCase& c, DeviceProblem& device, DeviceIndex& index,
                      Comparison& result) {
  using Hash = skt_hash_keys_args;
  Refusals<Hash> hash(library, &Library::hash_keys, "skt_hash_keys",
                      {.keys = device.keys.data(),
                       .hyperplanes = device.hyperplanes.data(),
                       .codes = index.codes.data(),
                       .shape = shape_of(c),
                       .written = {.count = c.keys},
                       .key_type = c.element_type()},
                      result);
  hash.pointer("keys", &Hash::keys);
  hash.pointer("hyperplanes", &Hash::hyperplanes);
  hash.pointer("codes", &Hash::codes);
  hash.number("planes", &skt_shape::planes, 16);
  hash.number("planes", &skt_shape::planes, 0);
  hash.number("tables", &skt_shape::tables, 0);
  hash.number("dim", &skt_shape::dim, c.dim + 1);
  hash.number("key_type", &Hash::key_type, 3);
  hash.number("count", &skt_written::count, c.capacity + 1);
  hash.number("first", &skt_written::first, -1);
  refuse_lengths(c, hash);
}

void refuse_value_norms(const Library& library, const CheckCase& c, DeviceProblem& device, DeviceIndex& index,
                        Comparison& result) {
  using Norms = skt_value_norms_args;
  Refusals<Norms> norms(library, &Library::value_norms, "skt_value_norms",
                        {.values = device.values.data(),
                         .norms = index.norms.data(),
                         .shape = shape_of(c),
                         .written = {.count = c.keys},
                         .value_type = c.element_type()},
                        result);
  norms.pointer("values", &Norms::values);
  norms.pointer("norms", &Norms::norms);
  norms.number("value_type", &Norms::value_type, -1);
  norms.number("form", &Norms::form, 3);
  norms.number("dim", &skt_shape::dim, 264);
  refuse_lengths(c, norms);
  refuse_pages(c, norms, DeviceArray<std::int32_t>(c.batch).data());
}

void refuse_pack_codes(const Library& library, const CheckCase& c, DeviceIndex& index, Comparison& result) {
  using Pack = skt_pack_codes_args;
  Refusals<Pack> pack(
      library, &Library::pack_codes, "skt_pack_codes",
      {.codes = index.codes.data(), .packed = index.packed.data(), .shape = shape_of(c), .written = {.count = c.keys}},
      result);
  pack.pointer("codes", &Pack::codes);
  pack.pointer("packed", &Pack::packed);
  pack.number("planes", &skt_shape::planes, 17);
  pack.number("capacity", &skt_shape::capacity, c.capacity + 1);
  refuse_lengths(c, pack);
  refuse_pages(c, pack, DeviceArray<std::int32_t>(c.batch).data());
}

void refuse_build_index(const Library& library, const CheckCase& c, DeviceProblem& device, DeviceIndex& index,
                        Comparison& result) {
  using Build = skt_build_index_args;
  Refusals<Build> build(library, &Library::build_index, "skt_build_index",
                        {.keys = device.keys.data(),
                         .hyperplanes = device.hyperplanes.data(),
                         .packed = index.packed.data(),
                         .values = device.values.data(),
                         .norms = index.norms.data(),
                         .shape = shape_of(c),
                         .written = {.count = c.keys},
                         .type = c.element_type()},
                        result);
  build.pointer("keys", &Build::keys);
  build.pointer("hyperplanes", &Build::hyperplanes);
  build.pointer("packed", &Build::packed);
  build.pointer("values", &Build::values);
  build.pointer("norms", &Build::norms);
  build.number("planes", &skt_shape::planes, 17);
  build.number("dim", &skt_shape::dim, 48);
  build.number("type", &Build::type, SKT_F32);
  refuse_lengths(c, build);
  refuse_pages(c, build, DeviceArray<std::int32_t>(c.batch).data());
}

}  // namespace

void refuse_index_building(const Library& library, const CheckCase& c, DeviceProblem& device, DeviceIndex& index,
                           Comparison& result) {
  refuse_hash_keys(library, c, device, index, result);
  refuse_value_norms(library, c, device, index, result);
  refuse_pack_codes(library, c, index, result);
  refuse_build_index(library, c, device, index, result);
}

}  // namespace skt::gpu
