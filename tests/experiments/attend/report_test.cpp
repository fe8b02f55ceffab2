#include "experiments/attend/report.hpp"

#include <cstring>

#include "experiments/attend/variants.hpp"
#include "tests/catch.hpp"
#include "tests/experiments/attend/four_keys.hpp"

using namespace skt;

namespace {

// One of four keys selected; `snr` tells the queries apart.
QueryResult result_with(std::optional<double> snr) {
  QueryResult result;
  result.scores = Vector{{5, 1, 2, 3}};
  result.listed = result.selected = {2};
  result.allowed = 4;
  result.output = Vector{{-2}};
  result.snr = snr;
  return result;
}

// A report on the four keys into a folder of its own.
struct Report {
  std::optional<Index> error_samples{};
  FourKeys four{};
  AttendProblem problem{four.files()};
  AttendVariant variant = attend_variants(request(), problem, Seed{1}).front();
  StagedFiles files{four.folder() / "results"};
  AttendReport report{files, "", problem, variant, {{"profile", "paper"}}};

  AttendRequest request() const {
    AttendRequest asked = four.request();
    asked.error_samples = error_samples;
    return asked;
  }
  Json summary() {
    report.finish();
    files.commit();
    return Json::parse(file("summary.json"));
  }
  std::string file(const std::string& name) { return contents(four.folder() / "results" / name); }
};

template <class Number>
std::vector<Number> numbers_in(const std::string& npy) {
  const std::size_t begin = npy.find('\n') + 1;
  std::vector<Number> numbers((npy.size() - begin) / sizeof(Number));
  std::memcpy(numbers.data(), npy.data() + begin, numbers.size() * sizeof(Number));
  return numbers;
}

}  // namespace

TEST_CASE("A query whose rest is sampled has what the sample says, and one without a sample null", "[unit]") {
  Report r{2};
  QueryResult sampled = result_with(1);
  sampled.sampled = ResidualReport{{2}, 2, 1, 0.25, 0.75, 0.5, 2, 3, Vector{{7}}};
  r.report.add(0, sampled);
  r.report.add(0, result_with(1));

  const Json rows = r.summary().at("per_query");

  CHECK(rows[0].at("sampled").at("read") == 2);
  CHECK(rows[0].at("sampled").at("residual_weight") == 0.25);
  CHECK(rows[0].at("sampled").at("residual_weight_limit") == 0.75);
  CHECK(rows[0].at("sampled").at("residual_weight_nominal_limit") == 0.5);
  CHECK(rows[0].at("sampled").at("error") == 2);
  CHECK(rows[0].at("sampled").at("error_limit") == 3);
  CHECK(rows[1].at("sampled").is_null());
  CHECK(numbers_in<double>(r.file("corrected.npy")) == std::vector<double>{7, 0});
}

TEST_CASE("A head has means of what its queries have, and the lower median of the SNR", "[unit]") {
  Report r;
  for (const std::optional<double> snr :
       {std::optional(100.0), std::optional(1.0), std::optional<double>(), std::optional(7.0), std::optional(3.0)}) {
    QueryResult result = result_with(snr);
    result.recall = snr ? std::optional(*snr / 100) : std::nullopt;
    r.report.add(0, result);
  }
  r.report.add(1, result_with(std::nullopt));

  const Json heads = r.summary().at("per_head");

  REQUIRE(heads.size() == 2);
  CHECK(heads[0].at("queries") == 5);
  CHECK(heads[0].at("snr_median") == 3);  // of 1, 3, 7 and 100
  CHECK(heads[0].at("recall_mean").get<double>() == Approx(1.11 / 4));
  CHECK(heads[0].at("selected_mean") == 1);
  CHECK(heads[1].at("snr_median").is_null());
  CHECK(heads[1].at("recall_mean").is_null());
}

TEST_CASE("The summary of a published variant says what its defects do to a query", "[unit]") {
  Report r;
  r.variant.published = PublishedHash{};
  AttendReport published(r.files, "-hub", r.problem, r.variant, {{"profile", "hub"}});
  QueryResult result = result_with(1);
  result.listed = {2, 2};
  result.infinite_norms = 3;
  published.add(0, result);
  published.finish();
  r.summary();

  const Json row = Json::parse(r.file("summary-hub.json")).at("per_query").at(0);

  CHECK(row.at("defects") == Json{{"listed_twice", 1}, {"infinite_norms", 3}, {"empty_selection", false}});
}

TEST_CASE("The table shows twenty queries with their heads, mean and median of all, and no mean of the SNR", "[unit]") {
  Report r;
  for (int query = 0; query < 22; ++query) r.report.add(query < 19 ? 0 : 3, result_with(query));

  const std::string table = r.report.table();

  CHECK(table.starts_with("   query  head  "));
  CHECK(table.find("\n       0     0  ") != std::string::npos);
  CHECK(table.find("\n      19     3  ") != std::string::npos);
  CHECK(table.find("\n      20  ") == std::string::npos);
  CHECK(table.find("\n      ..  (2 more in summary.json)\n") != std::string::npos);
  // Selected, residual weight and SNR, of which 10 is the lower middle of 0 to 21.
  CHECK(table.find("\n    mean   all                1                -                -") != std::string::npos);
  CHECK(table.find("\n  median   all                1                -               10") != std::string::npos);
}

TEST_CASE("Queries whose error is larger than the dense output are counted below the table", "[unit]") {
  const auto told = [](const std::vector<double>& relative_errors) {
    Report r;
    for (const double error : relative_errors) {
      QueryResult result = result_with(1);
      result.relative_error = error;
      r.report.add(0, result);
    }
    const std::string table = r.report.table();
    const std::size_t at = table.find("Relative error above 1");
    return at == std::string::npos ? "" : table.substr(at, table.find('.', table.find("up to", at) + 8) - at);
  };

  CHECK(told({0.5, 1}) == "");
  CHECK(told({0.5, 1.5, 2.25}) == "Relative error above 1 for 2 of 3 queries, up to 2.25: answering 0 would be nearer");
}

TEST_CASE("Scores are left out where they are not wanted, and nothing else is", "[unit]") {
  FourKeys four;
  AttendProblem problem{four.files()};
  const AttendVariant variant = attend_variants(four.request(), problem, Seed{1}).front();
  StagedFiles files{four.folder() / "results"};
  AttendReport report{files, "", problem, variant, {}, ScoresFile::left_out};
  report.add(0, result_with(1));
  report.finish();
  files.commit();

  CHECK_FALSE(std::filesystem::exists(four.folder() / "results" / "scores.npy"));
  CHECK(numbers_in<double>(contents(four.folder() / "results" / "output.npy")) == std::vector<double>{-2});
  CHECK(files_in(four.folder() / "results") == 4);  // selected, output, summary, curves
}
