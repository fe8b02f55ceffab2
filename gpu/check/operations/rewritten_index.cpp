// Has what reads an index done with it when the calls behind it in its stream write another one in its place?
//
// One stream, nothing waited for in between: an index is written, read, written again from other keys and values, and
// read again; by graph, replayed, and by calls. Right behind each reader stands each call that overwrites what it
// reads, and skt_pack_codes right behind skt_hash_keys, whose codes it reads. What is read, and the index in the end,
// have the bits of the same calls with a wait after each. A call that does not wait for the reader before it shows in
// what is read, one that does not wait for the writer before it in the index. That the second index reads otherwise is
// checked as well: its norms are four times as large.
#include <array>
#include <cstring>

#include "gpu/check/device/captured_graph.hpp"
#include "gpu/check/device/operations.hpp"
#include "gpu/check/operations/checks.hpp"

namespace skt::gpu {
namespace {

enum class Reader { pack_codes, score_buckets, score_packed, decode_step };

// The calls that write an index, the first of them right behind the reader.
struct Rewriting {
  Reader reader;
  std::vector<IndexCall> calls;
};

std::vector<Rewriting> rewritings(const CheckCase& c) {
  const std::vector<IndexCall> codes_first = {IndexCall::hash_keys, IndexCall::pack_codes, IndexCall::value_norms};
  const std::vector<IndexCall> norms_first = {IndexCall::value_norms, IndexCall::hash_keys, IndexCall::pack_codes};
  std::vector<Rewriting> all = {
      {Reader::pack_codes, codes_first}, {Reader::score_buckets, codes_first}, {Reader::score_buckets, norms_first}};
  for (const Reader reader : {Reader::score_packed, Reader::decode_step}) {
    all.push_back({reader, codes_first});  // its packed codes are written when the hashing has ended
    all.push_back({reader, norms_first});
    if (c.element_type() != SKT_F32) all.push_back({reader, {IndexCall::build_index}});  // it takes 16 bits only
  }
  return all;
}

// What is read: numbers, or of skt_pack_codes words, bit for bit.
std::int64_t size_of_output(const CheckCase& c, Reader reader) {
  if (reader == Reader::pack_codes) return DeviceIndex(c).packed.size();
  return c.rows() * (reader == Reader::decode_step ? c.dim : c.capacity);
}

// On the host: of the first index and of the second, and the second in the end.
struct Outputs {
  std::array<std::vector<float>, 2> read;
  HostIndex index;
};

// Arrays that outlive every launch: queries, their half-tables and probabilities, and what the two indexes are of.
struct Inputs {
  Inputs(const Library& library, const CheckCase& c, const Problem& first, const Problem& second)
      : problems{DeviceProblem(c, first), DeviceProblem(c, second)},
        halves(half_table_floats(c)),
        probabilities((c.rows() * c.tables << c.planes) * element_bytes(SKT_F32)),
        workspace(decode_step_workspace(library, c)) {
    half_tables(library, c, problems[0], halves);
    soft_buckets(library, c, problems[0], SKT_F32, probabilities);
  }

  std::array<DeviceProblem, 2> problems;
  DeviceArray<float> halves;
  Bytes probabilities, workspace;
};

class Rewritten {
 public:
  Rewritten(const Library& library, const CheckCase& c, const Rewriting& rewriting, Inputs& inputs)
      : library_(library),
        c_(c),
        rewriting_(rewriting),
        inputs_(inputs),
        index_(c),
        outputs_{DeviceArray<float>(size_of_output(c, rewriting.reader)),
                 DeviceArray<float>(size_of_output(c, rewriting.reader))} {
    index_.clear_last_tile(c);
    require(cudaDeviceSynchronize(), "inputs");
  }

  void run(Waits waits, cudaStream_t stream) {
    for (std::size_t which = 0; which < outputs_.size(); ++which) {
      for (const IndexCall by : rewriting_.calls) {
        write_index(library_, c_, by, places_of(inputs_.problems[which], index_), {.count = c_.keys}, stream);
        wait_if(waits);
      }
      read(outputs_[which], stream);
      wait_if(waits);
    }
  }
  void poison() { poison_all(outputs_[0], outputs_[1], index_); }
  Outputs outputs() const { return {{outputs_[0].to_host(), outputs_[1].to_host()}, HostIndex(index_)}; }

 private:
  // Always with the first queries, keys and values: of the second problem there is an index alone.
  void read(DeviceArray<float>& output, cudaStream_t stream) {
    DeviceProblem& problem = inputs_.problems[0];
    IndexPlaces packed = places_of(problem, index_);
    packed.packed = reinterpret_cast<std::uint32_t*>(output.data());
    switch (rewriting_.reader) {
      case Reader::pack_codes:
        return write_index(library_, c_, IndexCall::pack_codes, packed, {.count = c_.keys}, stream);
      case Reader::score_buckets:
        return call(library_.score_buckets, score_buckets_arguments(c_, problem, index_, inputs_.probabilities, output),
                    stream);
      case Reader::score_packed:
        return call(library_.score_packed, score_packed_arguments(c_, problem, index_, inputs_.halves, output.data()),
                    stream);
      case Reader::decode_step:
        return call(library_.decode_step, decode_arguments(c_, problem, index_, inputs_.workspace, output), stream);
    }
  }

  const Library& library_;
  const CheckCase& c_;
  const Rewriting& rewriting_;
  Inputs& inputs_;
  DeviceIndex index_;
  std::array<DeviceArray<float>, 2> outputs_;
};

void compare(const Outputs& got, const Outputs& expected, Comparison& result) {
  result.same_bits("what is read of the first index", got.read[0], expected.read[0]);
  result.same_bits("what is read of the second index", got.read[1], expected.read[1]);
  result.holds("codes in the end", 0, got.index.codes == expected.index.codes);
  result.holds("packed codes in the end", 0, got.index.packed == expected.index.packed);
  result.holds("norms in the end", 0, got.index.norms == expected.index.norms);
}

bool differ(const Outputs& outputs) {
  return std::memcmp(outputs.read[0].data(), outputs.read[1].data(), outputs.read[0].size() * sizeof(float)) != 0;
}

}  // namespace

Comparison check_rewritten_index(const Library& library, const CheckCase& c) {
  const Problem first = make_problem(c);
  CheckCase of_others = c;
  of_others.seed = ~c.seed;
  Problem second = make_problem(of_others);
  second.hyperplanes = first.hyperplanes;
  for (float& x : second.values) x *= 4;
  Inputs inputs(library, c, first, second);
  Comparison result;
  for (const Rewriting& rewriting : rewritings(c)) {
    Rewritten rewritten(library, c, rewriting, inputs);
    rewritten.poison();
    rewritten.run(Waits::after_each_call, nullptr);
    const Outputs expected = rewritten.outputs();
    result.holds("the two indexes are read otherwise by reader", static_cast<std::int64_t>(rewriting.reader),
                 differ(expected));
    run_unwaited(rewritten, [&](const char*) { compare(rewritten.outputs(), expected, result); });
  }
  return result;
}

}  // namespace skt::gpu
