#include "experiments/command/fields.hpp"

#include "tests/catch.hpp"
#include "tests/experiments/refusal.hpp"

using namespace skt;

namespace {

enum class Colour { red, green };
const Words<Colour> kColours = {{"green", Colour::green}, {"red", Colour::red}};

// One option of each kind.
struct Table {
  bool wide = false;
  Index planes = 8;
  std::uint64_t trials = 4;
  double delta = 0.1, share = 1;
  std::optional<double> target;
  std::string name, budget = "0.1";
  Colour colour = Colour::red;
  std::vector<Index> cuts{1, 2};
  std::vector<double> values;
  std::vector<std::string> only;
  Fields fields;

  Table() {
    fields.add("wide", &wide, "");
    fields.add("planes", &planes, "").from(1, 30);
    fields.add("trials", &trials, "");
    fields.add("delta", &delta, "").above(0, 1);
    fields.add("share", &share, "").above(0).at_most(1);
    fields.add("target", &target, "").above(0).usually("2");
    fields.add("name", &name, "");
    fields.add("budget", &budget, "").counts_keys();
    fields.add("colour", colour, kColours, "");
    fields.add("cuts", &cuts, "").from(1);
    fields.add("values", &values, "");
    fields.add("only", &only, "").also("one");
  }
};

std::string refused(const std::string& name, const std::vector<std::string>& texts) {
  Table table;
  return refusal([&] { table.fields.set(name, texts); });
}

}  // namespace

TEST_CASE("A value goes where its field says, in the type that stands there", "[unit]") {
  Table t;
  for (const auto& [name, text] :
       std::vector<std::pair<std::string, std::vector<std::string>>>{{"wide", {}},
                                                                     {"planes", {"12"}},
                                                                     {"trials", {"18446744073709551615"}},
                                                                     {"delta", {"0.25"}},
                                                                     {"target", {"1e-3"}},
                                                                     {"name", {"x y"}},
                                                                     {"budget", {"7"}},
                                                                     {"colour", {"green"}},
                                                                     {"cuts", {"4", "16"}},
                                                                     {"values", {"-0.5", "1e308"}},
                                                                     {"one", {"a", "b"}}})
    t.fields.set(name, text);

  CHECK(t.wide);
  CHECK(t.planes == 12);
  CHECK(t.trials == 18446744073709551615u);
  CHECK(t.delta == 0.25);
  CHECK(t.target == 0.001);
  CHECK(t.name == "x y");
  CHECK(t.budget == "7");
  CHECK(t.colour == Colour::green);
  CHECK(t.cuts == std::vector<Index>{4, 16});
  CHECK(t.values == std::vector<double>{-0.5, 1e308});
  CHECK(t.only == std::vector<std::string>{"a", "b"});
}

TEST_CASE("A field knows its kind, its default and what is allowed", "[unit]") {
  const Table t;
  const struct {
    const char* name;
    ValueKind kind;
    const char* standard;
    const char* allowed;
  } rows[] = {{"wide", ValueKind::flag, "", "true, false"},
              {"planes", ValueKind::whole, "8", "whole numbers from 1 to 30"},
              {"trials", ValueKind::whole, "4", "whole numbers from 0 on that 64 bits hold"},
              {"delta", ValueKind::number, "0.1", "numbers above 0 and below 1"},
              {"share", ValueKind::number, "1", "numbers above 0 and at most 1"},
              {"target", ValueKind::number, "2", "numbers above 0"},
              {"name", ValueKind::text, "", "non-empty texts"},
              {"budget", ValueKind::count, "0.1", "a count such as 128 or a fraction such as 0.05"},
              {"colour", ValueKind::text, "red", "green, red"},
              {"cuts", ValueKind::wholes, "1,2", "whole numbers from 1 on separated by commas"},
              {"values", ValueKind::numbers, "", "numbers separated by commas"},
              {"only", ValueKind::texts, "", "items separated by commas"}};
  for (const auto& row : rows) {
    INFO(row.name);
    const Field& field = *t.fields.find(row.name);
    CHECK(field.kind() == row.kind);
    CHECK(field.standard == row.standard);
    CHECK(field.allowed() == row.allowed);
  }
}

TEST_CASE("Numbers are taken within their range, and whole", "[unit]") {
  for (const char* good : {"1", "30"}) CHECK(refused("planes", {good}).empty());
  for (const char* bad : {"0", "31", "-1", "1.0", "1e1", " 1", "0x10", "18446744073709551617", "12many"})
    CHECK(refused("planes", {bad}) ==
          "--planes: " + std::string(bad) + " given; allowed are whole numbers from 1 to 30");
  CHECK(refused("planes", {""}) == "--planes: nothing given; allowed are whole numbers from 1 to 30");
  CHECK(refused("planes", {}) == "--planes: nothing given; allowed are whole numbers from 1 to 30");
  CHECK(refused("trials", {"-1"}) == "--trials: -1 given; allowed are whole numbers from 0 on that 64 bits hold");
  CHECK(refused("delta", {"0.999"}).empty());
  for (const char* bad : {"0", "1", "-0.5", "nan", "inf"})
    CHECK(refused("delta", {bad}) ==
          "--delta: " + std::string(bad) + " given; allowed are numbers above 0 and below 1");
  CHECK(refused("share", {"1"}).empty());
  CHECK(refused("share", {"0"}) == "--share: 0 given; allowed are numbers above 0 and at most 1");
  CHECK(refused("share", {"1.01"}) == "--share: 1.01 given; allowed are numbers above 0 and at most 1");
  for (const char* bad : {"nan", "inf", "-inf", "1e999"}) {
    CHECK(refused("target", {bad}) == "--target: " + std::string(bad) + " given; allowed are numbers above 0");
    CHECK(refused("values", {bad}) ==
          "--values: " + std::string(bad) + " given; allowed are numbers separated by commas");
  }
}

TEST_CASE("Words and texts that are none are refused, and items of a list one by one", "[unit]") {
  CHECK(refused("colour", {"blue"}) == "--colour: blue given; allowed are green, red");
  CHECK(refused("name", {""}) == "--name: nothing given; allowed are non-empty texts");
  CHECK(refused("wide", {"maybe"}) == "--wide: maybe given; allowed are true, false");
  CHECK(refused("cuts", {"4", "", "8"}) ==
        "--cuts: nothing given; allowed are whole numbers from 1 on separated by commas");
  CHECK(refused("cuts", {"4", "8", "4"}) == "--cuts: 4 twice; allowed is each once");
  CHECK(refused("values", {"0.1", "0.10"}) == "--values: 0.10 twice; allowed is each once");
  CHECK(refused("only", {"a", ""}) == "--only: nothing given; allowed are items separated by commas");
  CHECK(refused("plane", {"3"}) == "--plane: no such option; the nearest are --planes, --share, --name");
}

TEST_CASE("Of many words a refusal names the nearest", "[unit]") {
  Fields fields;
  std::string word;
  std::vector<std::string> many;
  for (char c = 'a'; c <= 'r'; ++c) many.push_back(std::string(3, c));
  fields.add("word", &word, "").of(many);

  CHECK(refusal([&] { fields.set("word", {"ccd"}); }) ==
        "--word: ccd given; the nearest that are allowed are ccc, ddd, aaa");
}

TEST_CASE("What was set is told in its order, but for what changes no result", "[unit]") {
  Table t;
  bool there = false;
  t.fields.add("there", &there, "").changes_no_result();
  CHECK(t.fields.given().empty());

  t.fields.set("values", {"4", "1e1"});
  t.fields.set("there", {});
  t.fields.set("wide", {});
  t.fields.set("one", {"x"});
  CHECK(t.fields.given() == " --values 4,1e1 --wide --only x");
  CHECK(refusal([&] { t.fields.set("values", {"5"}); }) == "--values: given twice; allowed is once");
}

TEST_CASE("A flag that is put to false is as one that is not there", "[unit]") {
  Table t;
  t.fields.at("wide").excludes({"name"});
  t.fields.set("name", {"x"});
  t.fields.set("wide", {"false"});

  t.fields.check();
  CHECK(t.fields.given() == " --name x");
}

TEST_CASE("What is needed, excluded or without effect is refused once all is read", "[unit]") {
  const auto said = [](const std::vector<std::pair<std::string, std::string>>& given) {
    std::string part = "all", file, mask, mask_true, quantity;
    Index draws = 3, axis_draws = 2;
    double delta = 0.1;
    Fields fields("oracle");
    fields.add("file", &file, "").needed();
    fields.add("part", &part, "").of({"all", "bounds"});
    fields.add("quantity", &quantity, "").of({"mean", "deviation"}).positional = true;
    fields.add("mask", &mask, "");
    fields.add("mask-true", &mask_true, "").used_with("mask");
    fields.add("draws", &draws, "").from(0).unless("part", {"bounds"});
    fields.add("axis-draws", &axis_draws, "").used_with("draws").excludes({"mask"});
    fields.add("delta", &delta, "").above(0, 1).used_with("part", {"all"}).used_with("quantity", {"mean"});
    for (const auto& [name, text] : given) fields.set(name, {text});
    return refusal([&] { fields.check(); });
  };

  CHECK(said({}) == "--file is required");
  CHECK(said({{"file", "x"}}).empty());
  CHECK(said({{"file", "x"}, {"mask-true", "y"}}) == "--mask-true is given without --mask: allowed with --mask");
  CHECK(said({{"file", "x"}, {"mask-true", "y"}, {"mask", "z"}}).empty());
  CHECK(said({{"file", "x"}, {"axis-draws", "5"}, {"mask", "z"}}) ==
        "--axis-draws is given with --mask: allowed is one of the two");
  CHECK(said({{"file", "x"}, {"axis-draws", "5"}, {"draws", "0"}}) ==
        "--axis-draws is given, which --draws 0 does not use: allowed with another --draws");
  CHECK(said({{"file", "x"}, {"draws", "5"}, {"part", "bounds"}}) ==
        "--draws is given, which --part bounds does not use: allowed is to leave it out");
  CHECK(said({{"file", "x"}, {"delta", "0.2"}, {"part", "bounds"}}) ==
        "--delta is given, which --part bounds does not use: allowed with --part all");
  CHECK(said({{"file", "x"}, {"delta", "0.2"}, {"quantity", "deviation"}}) ==
        "--delta is given, which oracle deviation does not use: allowed with oracle mean");
  CHECK(said({{"file", "x"}, {"delta", "0.2"}, {"quantity", "mean"}}).empty());
}
