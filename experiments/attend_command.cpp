// socketlab attend: the estimators on the user's own queries, keys and values.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <map>
#include <memory>

#include "experiments/attend_report.hpp"
#include "experiments/command.hpp"
#include "experiments/command_text.hpp"
#include "experiments/progress.hpp"
#include "experiments/provenance.hpp"
#include "sim/input_error.hpp"

namespace skt {
namespace {

struct AttendRequest {
  AttendFiles files;
  std::optional<Index> tables, planes;
  std::string budget;
  AttendSettings settings;
  const CLI::App* sub = nullptr;
};

// Of the paper's main experiments (Table 6).
constexpr Index kTables = 60;
constexpr Index kPlanes = 10;

const std::map<std::string, Ranker> kRankers = {
    {"socket", Ranker::socket}, {"hard-lsh", Ranker::hard_lsh}, {"hamming", Ranker::hamming}};
const std::map<std::string, OutputRule> kOutputRules = {{"exact-softmax", OutputRule::exact_softmax},
                                                        {"score-softmax", OutputRule::score_softmax}};
const std::map<std::string, Precision> kPrecisions = {{"f64", Precision::f64}, {"f32", Precision::f32}};
const std::map<std::string, Scaling> kScalings = {{"inverse-sqrt-dim", Scaling::inverse_sqrt_dim},
                                                  {"none", Scaling::none}};

template <class T>
std::string name_of(const std::map<std::string, T>& names, T value) {
  for (const auto& [name, named] : names)
    if (named == value) return name;
  return "";
}

template <class T>
void add_choice(CLI::App& sub, const std::string& flag, T& value, const std::map<std::string, T>& names,
                const std::string& description) {
  std::string allowed;
  for (const auto& [name, named] : names) allowed += (allowed.empty() ? "" : ", ") + name;
  sub.add_option_function<std::string>(
         flag,
         [&value, &names, flag, allowed](const std::string& given) {
           const auto found = names.find(given);
           if (found == names.end())
             throw CLI::ValidationError(flag, fmt::format("{} given; allowed are {}", given, allowed));
           value = found->second;
         },
         fmt::format("{}: {}", description, allowed))
      ->default_str(name_of(names, value));
}

// A count, or with a decimal point a fraction of the keys, rounded down.
Index budget_of(const std::string& text, Index keys) {
  const std::string bad =
      fmt::format("--budget {}: allowed are a count such as 128 or a fraction such as 0.05", text);
  const char* end = text.data() + text.size();
  if (text.find('.') == std::string::npos) {
    Index count = 0;
    const auto [stop, failure] = std::from_chars(text.data(), end, count);
    if (failure != std::errc() || stop != end || count < 0) throw InputError(bad);
    return count;
  }
  double fraction = 0;
  const auto [stop, failure] = std::from_chars(text.data(), end, fraction);
  if (failure != std::errc() || stop != end || !(fraction >= 0 && fraction <= 1)) throw InputError(bad);
  return static_cast<Index>(fraction * static_cast<double>(keys));
}

nlohmann::ordered_json summary_head(const AttendProblem& problem, const AttendRequest& request,
                                    const Hyperplanes& hyperplanes) {
  const AttendSettings& s = request.settings;
  return {{"queries", problem.num_queries()},
          {"keys", problem.num_keys()},
          {"dim", problem.dim()},
          {"value_dim", problem.value_dim()},
          {"tables", hyperplanes.tables},
          {"planes", hyperplanes.planes},
          {"hyperplanes", problem.has_hyperplanes() ? "given" : "drawn"},
          {"temperature", s.socket.temperature},
          {"scaling", name_of(kScalings, s.socket.scaling)},
          {"ranker", name_of(kRankers, s.ranker)},
          {"output_rule", name_of(kOutputRules, s.output)},
          {"precision", name_of(kPrecisions, s.precision)},
          {"budget", s.selection.budget},
          {"sink", s.selection.sink},
          {"window", s.selection.window}};
}

int run(AttendRequest request, const SharedOptions& shared) {
  AttendProblem problem(request.files);
  AttendSettings& settings = request.settings;
  settings.selection.budget = budget_of(request.budget, problem.num_keys());
  if (!(settings.socket.temperature > 0 && std::isfinite(settings.socket.temperature)))
    throw InputError(
        fmt::format("--temperature {}: allowed are finite numbers above 0", settings.socket.temperature));
  const Hyperplanes hyperplanes =
      problem.has_hyperplanes() ? problem.hyperplanes(request.tables, request.planes)
                                : draw_hyperplanes(Seed{shared.seed}, 0, request.tables.value_or(kTables),
                                                   request.planes.value_or(kPlanes), problem.dim());
  problem.check_elements();

  AttendReport report(shared.out, problem, settings, summary_head(problem, request, hyperplanes));
  {
    ProgressMeter meter("attend", static_cast<std::uint64_t>(problem.blocks() + problem.num_queries()));
    KeyCodes codes = room_for_codes(hyperplanes, problem.num_keys());
    problem.visit_keys([&](Index first, const Matrix& rows) {
      hash_keys_into(codes, first, hyperplanes, rows);
      meter.advance();
    });
    for (Index i = 0; i < problem.num_queries(); ++i) {
      report.add(attend_to(problem, i, hyperplanes, codes, settings));
      meter.advance();
    }
  }
  report.commit();
  write_provenance(shared.out, {command_text(*request.sub, shared), shared.seed, ""});
  fmt::print("{}", report.table());
  return kAsExpected;
}

void add_file_options(CLI::App& sub, AttendFiles& files) {
  sub.add_option("--queries", files.queries, "q.npy [queries, dim]; float16, float32 or float64, C order")
      ->required();
  sub.add_option("--keys", files.keys, "k.npy [keys, dim]")->required();
  sub.add_option("--values", files.values, "v.npy [keys, value_dim]")->required();
  sub.add_option("--hyperplanes", files.hyperplanes,
                 "w.npy [tables, planes, dim]; left out: drawn from --seed");
  sub.add_option("--mask", files.mask, "m.npy, bool [keys] or [queries, keys], true where a key is allowed");
}

void add_setting_options(CLI::App& sub, AttendRequest& request) {
  AttendSettings& s = request.settings;
  sub.add_option("--tables", request.tables, fmt::format("Hash tables [{}]", kTables));
  sub.add_option("--planes", request.planes,
                 fmt::format("Hyperplanes to a table, 1 to {} [{}]", kMaxPlanes, kPlanes));
  sub.add_option("--temperature", s.socket.temperature, "tau, above 0")->capture_default_str();
  sub.add_option("--budget", request.budget,
                 "Keys to select: a count, or with a decimal point a fraction of the keys")
      ->required();
  sub.add_option("--sink", s.selection.sink, "First keys, selected on top of the budget")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  sub.add_option("--window", s.selection.window, "Last keys, likewise")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  add_choice(sub, "--scaling", s.socket.scaling, kScalings, "Divisor of tanh(Wq)");
  add_choice(sub, "--ranker", s.ranker, kRankers, "What is summed over the tables");
  add_choice(sub, "--output-rule", s.output, kOutputRules,
             "Weights of the selected values, softmax of q.k/sqrt(dim) or of the sums over the tables");
  add_choice(sub, "--precision", s.precision, kPrecisions, "Of the scores and the results");
}

}  // namespace

void add_attend_command(CLI::App& app, SharedOptions& shared) {
  const auto request = std::make_shared<AttendRequest>();
  CLI::App& sub = add_subcommand(app, "attend", "The estimators on your own queries, keys and values (.npy)",
                                 shared, [request, &shared] { return run(*request, shared); });
  request->sub = &sub;
  add_file_options(sub, request->files);
  add_setting_options(sub, *request);
  sub.footer(
      "Writes to --out: scores.npy [queries, keys], the sums over tables times the value norm, -inf where "
      "forbidden;\n"
      "selected.npy, int64 [queries, min(keys, budget + sink + window)], sink and window keys first, then "
      "the others by\n"
      "falling score, ties to the lower index, -1 where fewer are allowed; output.npy [queries, value_dim];\n"
      "summary.json and provenance.json. A query without a selected key (budget 0, or a mask that allows "
      "nothing) has\n"
      "\"selected\": 0, \"output\": null in summary.json and a row of zeros in output.npy.");
}

}  // namespace skt
