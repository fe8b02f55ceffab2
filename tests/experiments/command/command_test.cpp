#include "experiments/command/command.hpp"

#include <omp.h>

#include <CLI/CLI.hpp>

#include "tests/catch.hpp"
#include "tests/experiments/refusal.hpp"
#include "tests/threads.hpp"

using namespace skt;

namespace {

// What a list option reads from these words.
template <class T>
std::vector<T> list_of(const std::string& words) {
  CLI::App app;
  std::vector<T> values;
  add_list(app, "--values", values, "");
  check_every_text(app);
  app.parse("--values " + words);
  return values;
}

template <class T>
std::string list_refusal(const std::string& words) {
  return refusal([&] { list_of<T>(words); });
}

}  // namespace

TEST_CASE("A list is read with commas, spaces or both between its items", "[unit]") {
  CHECK(list_of<Index>("4,16 64") == std::vector<Index>{4, 16, 64});
  CHECK(list_of<double>("0.5,1e-3") == std::vector<double>{0.5, 0.001});
  CHECK(list_of<std::string>("gaussian,needle") == std::vector<std::string>{"gaussian", "needle"});
}

TEST_CASE("A list with an empty item, one twice or one of another kind is refused by item", "[unit]") {
  const std::string whole = "allowed are whole numbers separated by commas";
  CHECK(list_refusal<Index>("4,,8") == "--values: nothing given; " + whole);
  CHECK(list_refusal<Index>("4,") == "--values: nothing given; " + whole);
  CHECK(list_refusal<Index>("2.5") == "--values: 2.5 given; " + whole);
  CHECK(list_refusal<Index>("9223372036854775808") == "--values: 9223372036854775808 given; " + whole);
  CHECK(list_refusal<double>("1e999") == "--values: 1e999 given; allowed are numbers separated by commas");
  CHECK(list_refusal<std::string>("a,,b") == "--values: nothing given; allowed are items separated by commas");
  CHECK(list_refusal<Index>("4,8,4") == "--values: 4 twice; allowed is each once");
}

TEST_CASE("Whole numbers are taken within their range, ends included", "[unit]") {
  const auto said = [](std::string text) { return whole_numbers(1, 100)(text); };

  CHECK(said("1").empty());
  CHECK(said("100").empty());
  for (const char* text : {"0", "101", "-1", "1.0", "1e1", " 1", "0x10", "18446744073709551617"})
    CHECK(said(text) == std::string(text) + " given; allowed are whole numbers from 1 to 100");
  CHECK(said("") == "nothing given; allowed are whole numbers from 1 to 100");
}

TEST_CASE("A number that its type does not hold is refused, and so is an empty text", "[unit]") {
  const auto refused = [](const std::string& option, const std::string& given) {
    CLI::App app;
    CLI::App& sub = *app.add_subcommand("run");
    std::int64_t whole = 0;
    std::uint64_t counted = 0;
    double number = 0;
    std::string text;
    sub.add_option("--whole", whole);
    sub.add_option("--count", counted);
    sub.add_option("--number", number);
    sub.add_option("--text", text);
    check_every_text(app);
    std::vector<std::string> last_first{given, option, "run"};
    return refusal([&] { app.parse(last_first); });
  };

  CHECK(refused("--whole", "-9223372036854775808").empty());
  CHECK(refused("--count", "18446744073709551615").empty());
  CHECK(refused("--number", "1e308").empty());
  CHECK(refused("--text", "x").empty());
  CHECK(refused("--whole", "9223372036854775808") ==
        "--whole: 9223372036854775808 given; allowed are whole numbers that 64 bits hold");
  CHECK(refused("--whole", "12many") == "--whole: 12many given; allowed are whole numbers that 64 bits hold");
  CHECK(refused("--count", "-1") == "--count: -1 given; allowed are whole numbers from 0 on that 64 bits hold");
  CHECK(refused("--number", "1e999") == "--number: 1e999 given; allowed are numbers that a double holds");
  CHECK(refused("--text", "") == "--text: nothing given; allowed are non-empty texts");
}

TEST_CASE("A subcommand runs after parsing, with the shared options and its threads", "[unit]") {
  const Threads restored(omp_get_max_threads());
  CLI::App app;
  SharedOptions shared;
  int threads = 0;
  add_subcommand(app, "first", "", shared, [] { return 7; });
  add_subcommand(app, "second", "", shared, [&] {
    threads = omp_get_max_threads();
    return 9;
  });

  app.parse("second --seed 5 --threads 3 --out there");

  CHECK(threads == 0);
  REQUIRE(shared.chosen);
  CHECK(shared.chosen() == 9);
  CHECK(threads == 3);
  CHECK(shared.seed == 5);
  CHECK(shared.out == "there");
}
