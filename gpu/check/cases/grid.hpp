// Which cases does gpu-check run?
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/check/cases/check_case.hpp"

namespace skt::gpu {

// Every kernel template at least once, in cases small enough for a race checker.
std::vector<CheckCase> tiny_grid(std::uint64_t seed);

// Every operation over shapes, types, masks and inputs; under a minute on a data-centre GPU.
std::vector<CheckCase> quick_grid(std::uint64_t seed);

// The quick grid, and for each operation cases in which every pair of values of two axes occurs (pair_covering.hpp),
// keys up to 2^20; and addresses above 2^31 elements. Under ten minutes.
std::vector<CheckCase> full_grid(std::uint64_t seed);

// By name: tiny, quick or full.
std::vector<CheckCase> grid_by_name(const std::string& name, std::uint64_t seed);

// The cases of at most so many keys, and of at most so many buckets, tables * 2^planes, to a head.
std::vector<CheckCase> no_larger(std::vector<CheckCase> cases, std::int64_t keys, std::int64_t buckets);

// Part i of n of the cases, as "i/n": every n-th from the i-th on, so that parts take about as long as one another.
std::vector<CheckCase> slice_of(const std::vector<CheckCase>& cases, const std::string& slice);

}  // namespace skt::gpu
