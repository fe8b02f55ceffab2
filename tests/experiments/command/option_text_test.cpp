#include "experiments/command/option_text.hpp"

#include <CLI/CLI.hpp>

#include "experiments/command/outcome_options.hpp"
#include "experiments/families/family_option.hpp"
#include "tests/catch.hpp"

using namespace skt;

TEST_CASE("The command that gives the same results again has what was given, but for threads and folder", "[unit]") {
  CLI::App app;
  SharedOptions shared;
  CLI::App& sub = add_subcommand(app, "sweep", "", shared, [] { return 0; });
  Index keys = 1, planes = 8;
  std::vector<double> values;
  sub.add_option("--keys", keys);
  sub.add_option("--planes", planes);
  add_list(sub, "--values", values, "");
  OutcomeOptions outcomes;
  add_outcome_options(sub, outcomes);

  app.parse("sweep --threads 2 --values 4 16 --keys 32 --force --junit x --annotations --out there --seed 9");

  CHECK(command_text(sub, shared) == "socketlab sweep --values 4,16 --keys 32 --seed 9");
}

TEST_CASE("A command without options has its seed, given or not", "[unit]") {
  CLI::App app;
  SharedOptions shared;
  CLI::App& sub = add_subcommand(app, "sweep", "", shared, [] { return 0; });

  app.parse("sweep");

  CHECK(command_text(sub, shared) == "socketlab sweep --seed 1");
}

TEST_CASE("An option of two words is named by the first, however it was typed", "[unit]") {
  CLI::App app;
  SharedOptions shared;
  CLI::App& sub = add_subcommand(app, "sweep", "", shared, [] { return 0; });
  FamilyOptions families;
  add_families(sub, families, "");

  app.parse("sweep --family needle,gaussian");

  CHECK(command_text(sub, shared) == "socketlab sweep --families needle,gaussian --seed 1");
}

TEST_CASE("A list breaks before the item that would pass the width, and not before", "[unit]") {
  CHECK(comma_list({}, {.width = 10}).empty());
  CHECK(comma_list({"one"}, {.width = 1}) == "one");
  CHECK(comma_list({"a", "bb", "ccc"}, {.width = 10}) == "a, bb, ccc");
  CHECK(comma_list({"a", "bb", "ccc"}, {.width = 9}) == "a, bb,\nccc");
  CHECK(comma_list({"a", "bb", "ccc"}, {.width = 12, .indent = 2}) == "a, bb, ccc");
  CHECK(comma_list({"a", "bb", "ccc"}, {.width = 11, .indent = 2}) == "a, bb,\n  ccc");
  CHECK(comma_list({"longer", "than", "all"}, {.width = 3}) == "longer,\nthan,\nall");
}

TEST_CASE("An unknown option is told with the nearest, and a word with where to look", "[unit]") {
  const auto told = [](const std::string& line) {
    CLI::App app;
    SharedOptions shared;
    CLI::App& sub = add_subcommand(app, "sweep", "", shared, [] { return 0; });
    Index planes = 8;
    sub.add_option("--planes", planes);
    try {
      app.parse(line);
    } catch (const CLI::ExtrasError&) {
      return unknown_words(app, app.remaining(true));
    }
    return std::string();
  };

  CHECK(
      told("sweep --see 1") ==
      "--see: no such option; the nearest are --seed, --help, --out; `socketlab sweep --help` lists all that are allowed");
  CHECK(told("sweep --plane=4").starts_with("--plane: no such option; the nearest are --planes, "));
  // Six letters from --seed, of which it has all, and four from --planes.
  CHECK(told("sweep --plane-seed 4").starts_with("--plane-seed: no such option; the nearest are --planes, --seed, "));
  CHECK(told("sweep 17") == "17: not expected here; `socketlab sweep --help` says what is allowed");
  CHECK(told("sweep --planes 4").empty());
}
