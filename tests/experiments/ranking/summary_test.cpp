#include "experiments/ranking/summary.hpp"

#include <algorithm>

#include "tests/catch.hpp"
#include "tests/experiments/ranking/two_samples.hpp"

using namespace skt;

namespace {

RankingPoint point(const std::string& ranker, Index cut, double precision, double lead) {
  RankingPoint one{.ranker = ranker, .cut = cut};
  one.average = one.worst = one.best = two(precision, precision);
  one.lead = two(lead, lead);
  return one;
}

DensityRow ranked(const std::string& family, const std::string& ranker, double density, double recall) {
  DensityRow row{.family = family, .ranker = ranker, .density = density, .bits_per_token = 480};
  row.recall = two(recall, recall);
  return row;
}

std::ptrdiff_t lines_of(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

// The first line that has the name.
std::string line_of(const std::string& text, const std::string& name) {
  const std::size_t at = text.find(name);
  if (at == std::string::npos) return "";
  const std::size_t begin = text.rfind('\n', at) + 1;
  return text.substr(begin, text.find('\n', at) - begin);
}

}  // namespace

TEST_CASE("Curves have a line for each ranker with its precisions in the order of k", "[unit]") {
  RankingCurves curves{{}, {}, {}, {}};
  curves.plan.setting = "one plane";
  curves.plan.cuts = {8, 64};
  curves.points = {point("socket", 8, 0.5, 0),
                   point("socket", 64, 0.75, 0),
                   point("hard-lsh", 8, 0.25, 0.1),
                   point("hard-lsh", 64, 0.125, -0.1),
                   {.truth = Truth::cosine, .ranker = "hard-lsh", .cut = 8},
                   {.ranker = "hard-lsh", .cut = 8, .metric = RankingMetric::jaccard}};

  const std::string text = summary(std::vector{curves});

  CHECK(line_of(text, "one plane") == "  one plane                      k=8      k=64");
  CHECK(line_of(text, "socket") == "  socket                       0.500     0.750");
  // Two samples without spread: the interval of a lead is the lead.
  CHECK(line_of(text, "hard-lsh") == "  hard-lsh                     0.250     0.125  SOCKET above 1, below 1 of 2");
}

TEST_CASE("A lead whose interval holds 0 is neither above nor below", "[unit]") {
  RankingCurves curves{{}, {}, {}, {}};
  curves.plan.cuts = {8};
  curves.points = {point("hamming", 8, 0.5, 0)};
  curves.points.front().lead = two(-1, 1);

  CHECK(summary(std::vector{curves}).find("SOCKET above 0, below 0 of 1") != std::string::npos);
}

TEST_CASE("Rankers have a line each, families in columns, at the middle density and the published size", "[unit]") {
  DensityTable table;
  for (const double density : {0.02, 0.1, 0.5}) {
    table.rows.push_back(ranked("gaussian", "socket", density, density));
    table.rows.push_back(ranked("needles", "socket", density, 2 * density));
    table.rows.push_back(ranked("needles", "quest", density, 0.25));
  }
  table.rows.push_back(ranked("gaussian", "socket", 0.1, 0.9));
  table.rows.back().size = 64;
  table.build_seconds["socket"] = two(1, 2);

  const std::string text = summary(table);

  CHECK(text.find("density 0.1,") != std::string::npos);
  CHECK(line_of(text, "  gaussian").find("gaussian   needles     bits   build s") != std::string::npos);
  CHECK(line_of(text, "  socket") == "  socket                       0.100     0.200      480     1.500");
  CHECK(line_of(text, "  quest").find("quest                                  0.250") != std::string::npos);
  CHECK(lines_of(text) == 5);  // an empty line, title, families, two rankers
}

TEST_CASE("Temperatures have a line for each setting and ranker, at the largest k", "[unit]") {
  TemperatureTable table;
  for (const Index cut : {16, 64}) {
    for (const char* family : {"gaussian", "needle"}) {
      TemperatureRow row{family, 10, 0.3, "hamming", cut, 0.75, {}, {}, {}};
      row.precision = two(0.5, 0.5);
      row.lead = two(-0.125, -0.125);
      table.rows.push_back(row);
    }
  }

  const std::string text = summary(table);

  CHECK(text.find("k=64") != std::string::npos);
  CHECK(line_of(text, "P=10 tau=0.3 hamming") ==
        "  P=10 tau=0.3 hamming         0.500     0.500  SOCKET above 0, below 2 of 2");
  CHECK(lines_of(text) == 4);
}

TEST_CASE("A prediction shows its largest difference over k, and how many are outside what is claimed", "[unit]") {
  PredictionSetting setting;
  setting.name = "as set";
  setting.scores = {PredictedScore::hard};
  const auto row = [](Index cut, double difference) {
    PredictionRow one{PredictedScore::hard, cut, PredictedQuantity::precision, two(0.5, 0.5), two(0.5, 0.5), {}};
    one.difference = two(difference, difference);
    return one;
  };
  PredictionResult result{setting, {row(16, 0.01), row(64, -0.03), row(256, 0.02)}};

  CHECK(line_of(summary(std::vector{result}), "as set").find("-0.0300") != std::string::npos);
  CHECK(line_of(summary(std::vector{result}), "as set").find("1 outside what is claimed") != std::string::npos);
  result.rows[1].difference = two(-0.015, -0.015);
  CHECK(line_of(summary(std::vector{result}), "as set").find("+0.0200") != std::string::npos);
  CHECK(summary(std::vector{result}).find("outside") == std::string::npos);
}
