// What does a test of numbers need?
//
// The test framework, numbers that are compared, and the refusal of bad ones.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/number.hpp"
#include "sim/require.hpp"
#include "tests/catch.hpp"
#include "tests/constants.hpp"
#include "tests/near.hpp"
