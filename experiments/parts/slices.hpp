// How are the parts of a command dealt to processes that do not speak with each other?
//
// Heaviest first, each to the slice whose parts weigh least so far (the longest-processing-time rule: Graham, Bounds on
// multiprocessing timing anomalies, 1969: the slowest slice takes at most 4/3 of the best there is). Equal weights and
// equal slices are taken in the order of their numbers, so every process deals alike from the weights alone. A part that
// went to two slices or to none would show as a merge that finds it missing, or computed twice.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/parts/part.hpp"
#include "sim/number.hpp"

namespace skt {

struct Slice {
  Index number = 1;  // from 1
  Index of = 1;
};

// "2/3". None for no text; InputError, naming --slice, for another that is no slice.
std::optional<Slice> slice_named(const std::string& text);
std::string name_of(const Slice& slice);

// "slice-2-of-3.jsonl", and what such a name stands for.
std::string journal_name(const Slice& slice);
std::optional<Slice> slice_of_journal(const std::string& name);

// Numbers of the parts, the heaviest first.
std::vector<Index> heaviest_first(const std::vector<Part>& parts);

// The numbers of the parts of each slice, the heaviest first.
std::vector<std::vector<Index>> dealt(const std::vector<Part>& parts, Index slices);

}  // namespace skt
