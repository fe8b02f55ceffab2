// What does every file of statements measure with?
//
// What nearly all of them need, so that each names only what it is about.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <numbers>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "estimators/weighted_output.hpp"
#include "proofs_check/inequalities/inequality_sides.hpp"
#include "proofs_check/laws/both_sides.hpp"
#include "proofs_check/rounding.hpp"
#include "proofs_check/statement.hpp"
#include "proofs_check/trial_accumulators.hpp"
#include "sim/families.hpp"
#include "sim/number.hpp"
#include "sim/randomness.hpp"
#include "sim/trial_loop.hpp"
