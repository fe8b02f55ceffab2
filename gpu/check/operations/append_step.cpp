// Does a step see the token appended before it in its stream, and only then; does it leave alone what the step before
// still reads, and what another stream's step does?
//
// One stream, nothing waited for in between: a key is appended, a step runs, a step with other queries, another key
// is appended in the first one's place, that step again; by graph, replayed, and by calls, and by graph beside a
// second stream that does so on other arrays. Outputs have the bits of the same calls with a wait after each. The
// first key is the opposite of the second queries, so that none of its codes collide; the second key is such a query
// itself. A step that reads codes or half-tables too early selects other keys; that the appended key is seen is
// checked as well.
#include <array>

#include "gpu/check/device/captured_graph.hpp"
#include "gpu/check/device/operations.hpp"
#include "gpu/check/operations/checks.hpp"

namespace skt::gpu {
namespace {

// Of the step with the first queries, of that with the second before their key is appended, and after.
using Outputs = std::array<std::vector<float>, 3>;

// The problem of the second queries: the first ones' coordinates in reverse; the last key of each kv row is `sign`
// times the query of its first head.
Problem with_last_key(const CheckCase& c, const Problem& problem, float sign) {
  Problem changed = problem;
  for (std::int64_t row = 0; row < c.rows(); ++row) {
    const std::int64_t kv_row = row / c.group();
    for (std::int64_t d = 0; d < c.dim; ++d) {
      const float x = problem.queries[row * c.dim + c.dim - 1 - d];
      changed.queries[row * c.dim + d] = x;
      if (row % c.group() != 0) continue;
      changed.keys[(kv_row * c.capacity + c.keys - 1) * c.dim + d] = sign * x;
    }
  }
  return changed;
}

// The calls, on arrays that outlive every launch.
class Steps {
 public:
  Steps(const Library& library, const CheckCase& c, Appending by, const Problem& first, const Problem& second)
      : library_(library),
        c_(c),
        by_(by),
        problems_{DeviceProblem(c, first), DeviceProblem(c, second)},
        index_(c),
        workspace_(decode_step_workspace(library, c)),
        outputs_{output_of(c), output_of(c), output_of(c)} {
    index_.build(library, c, problems_[0]);
    require(cudaDeviceSynchronize(), "index");
  }

  void run(Waits waits, cudaStream_t stream) {
    append(0, waits, stream);
    step(0, outputs_[0], waits, stream);
    step(1, outputs_[1], waits, stream);
    append(1, waits, stream);
    step(1, outputs_[2], waits, stream);
  }
  void poison() { poison_all(outputs_[0], outputs_[1], outputs_[2]); }
  Outputs outputs() const { return {outputs_[0].to_host(), outputs_[1].to_host(), outputs_[2].to_host()}; }

 private:
  static DeviceArray<float> output_of(const CheckCase& c) { return DeviceArray<float>(c.rows() * c.dim); }
  void append(std::size_t which, Waits waits, cudaStream_t stream) {
    append_keys(library_, c_, by_, places_of(problems_[which], index_), {.first = c_.keys - 1, .count = 1}, stream);
    wait_if(waits);
  }
  void step(std::size_t which, DeviceArray<float>& output, Waits waits, cudaStream_t stream) {
    call(library_.decode_step, decode_arguments(c_, problems_[which], index_, workspace_, output), stream);
    wait_if(waits);
  }

  const Library& library_;
  const CheckCase& c_;
  Appending by_;
  std::array<DeviceProblem, 2> problems_;
  DeviceIndex index_;
  Bytes workspace_;
  std::array<DeviceArray<float>, 3> outputs_;
};

void same_outputs(const char* what, const Outputs& got, const Outputs& expected, Comparison& result) {
  for (std::size_t which = 0; which < got.size(); ++which) result.same_bits(what, got[which], expected[which]);
}

Outputs one_by_one(Steps& steps) {
  steps.poison();
  steps.run(Waits::after_each_call, nullptr);
  return steps.outputs();
}

// At the same time on the same device, each on arrays of its own, with other queries in the same place.
void in_two_streams(Steps& steps, const Outputs& expected, Steps& others, Comparison& result) {
  constexpr int kLaunches = 20;
  const Outputs others_expected = one_by_one(others);
  CapturedGraph graph([&](cudaStream_t stream) { steps.run(Waits::none, stream); });
  CapturedGraph graph_of_others([&](cudaStream_t stream) { others.run(Waits::none, stream); });
  steps.poison();
  others.poison();
  for (int launch = 0; launch < kLaunches; ++launch) {
    graph.launch();
    graph_of_others.launch();
  }
  graph.wait();
  graph_of_others.wait();
  same_outputs("output beside another stream", steps.outputs(), expected, result);
  same_outputs("output beside another stream", others.outputs(), others_expected, result);
}

}  // namespace

Comparison check_append_step(const Library& library, const CheckCase& c) {
  if (c.append > 0) return check_appending_step(library, c);
  const Problem drawn = make_problem(c);
  Problem first = with_last_key(c, drawn, -1);
  first.queries = drawn.queries;
  const Problem second = with_last_key(c, drawn, 1);
  Comparison result;
  result.holds("case with an appended key that must be selected to be seen", 0,
               c.mask == MaskKind::none && c.planes >= 4 && c.window == 0 && c.sink + c.budget < c.keys);
  for (const Appending by : ways_to_append(c)) {
    Steps steps(library, c, by, first, second);
    const Outputs expected = one_by_one(steps);
    for (std::int64_t row = 0; row < c.rows(); row += c.group()) {
      bool differs = false;
      for (std::int64_t at = row * c.dim; at < (row + 1) * c.dim; ++at) {
        differs |= expected[1][at] != expected[2][at];
      }
      result.holds("the appended key is seen", row, differs);
    }
    run_unwaited(steps, [&](const std::string& how) {
      same_outputs(("output " + how).c_str(), steps.outputs(), expected, result);
    });
    if (memory_of_checks == Memory::bare) continue;  // a sanitizer runs kernels one by one
    Steps others(library, c, by, second, first);
    in_two_streams(steps, expected, others, result);
  }
  return result;
}

}  // namespace skt::gpu
