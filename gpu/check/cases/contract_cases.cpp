// Which cases show a mistake in any one thing that the contract of scores or of a step names?
#include "gpu/check/cases/contract_cases.hpp"

#include "gpu/check/cases/axes.hpp"

namespace skt::gpu {

// Heads that share keys, every mask, keys that end a little behind tiles of 64 and 128, halves of a code that differ in
// length, and tables that fill no word; of a step also sink, window, budget, temperature and type. No two sizes of an
// array agree, so that an index of one in the place of another shows. python/tests/kernels/mistakes.py lists what must be seen.
void add_contract_cases(Grid& grid) {
  for (const Operation operation : {Operation::score_packed, Operation::score_buckets, Operation::decode_step}) {
    CheckCase c = grouped_case(operation);
    c.dim = 32;
    std::vector<Axis> axes = {groups({1, 2, 4}), axis<std::int64_t>({130, 200}, &CheckCase::keys),
                              axis(values_of<MaskKind>(), &CheckCase::mask),
                              axis<std::int64_t>({5, 8}, &CheckCase::planes),
                              axis<std::int64_t>({3, 9}, &CheckCase::tables)};
    if (operation == Operation::decode_step) {
      axes.push_back(axis<std::int64_t>({0, 4}, &CheckCase::sink));
      axes.push_back(axis<std::int64_t>({0, 11}, &CheckCase::window));
      axes.push_back(axis<std::int64_t>({1, 24}, &CheckCase::budget));
      axes.push_back(axis<double>({0.3, 1}, &CheckCase::temperature));
      axes.push_back(axis(values_of<NumberType>(), &CheckCase::type));
    }
    add_pairs(grid, c, axes);
  }
}

}  // namespace skt::gpu
