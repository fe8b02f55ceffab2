// Catch2 2.13 (Debian 12) and 3.x (Ubuntu 24.04) by one name.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
