#include "experiments/verify/judge_command.hpp"

#include <fmt/format.h>

#include <fstream>
#include <set>

#include "experiments/command/command.hpp"
#include "proofs_check/names.hpp"
#include "proofs_check/rows/verdict_rows.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

using Json = nlohmann::ordered_json;

double error_of(const std::vector<Evidence>& evidence) {
  double sum = 0;
  for (const Evidence& piece : evidence) sum += piece.error_share;
  return sum;
}

void object(Judgement& judgement, const std::string& what, Verdict judged, Verdict written, Verdict expected) {
  if (judged != written) {
    judgement.objections.push_back(
        fmt::format("{}: written {}, but its evidence says {}", what, name_of(written), name_of(judged)));
  }
  if (judged != expected) {
    judgement.objections.push_back(fmt::format("{}: {}, expected {}", what, name_of(judged), name_of(expected)));
  }
}

void judge_row(Judgement& judgement, const Json& row) {
  const StatementResult written = from_row(row);
  const StatementResult judged = rejudged(written);
  object(judgement, written.id, judged.verdict, written.verdict, written.expected);
  judgement.error_spent += error_of(written.evidence);
  for (std::size_t m = 0; m < written.mutants.size(); ++m) {
    const VariantResult& mutant = written.mutants[m];
    object(judgement, fmt::format("{}, mutant \"{}\"", written.id, mutant.name), judged.mutants[m].verdict,
           mutant.verdict, Verdict::refuted);
    judgement.error_spent += error_of(mutant.evidence);
  }
  // The verdicts are those of the evidence now: whatever differs still is a summary that does not follow from it.
  const Json again = to_row(judged);
  for (const auto& [field, value] : row.items()) {
    if (field == "verdict" || field == "mutants") continue;
    if (!again.contains(field) || again.at(field) != value)
      judgement.objections.push_back(
          fmt::format("{}: the field \"{}\" does not follow from the evidence", written.id, field));
  }
  ++judgement.statements;
  judgement.mutants += written.mutants.size();
}

}  // namespace

Judgement judge_rows(std::istream& rows, const std::string& name) {
  Judgement judgement;
  std::set<std::string> ids;
  std::size_t number = 0;
  for (std::string line; std::getline(rows, line);) {
    ++number;
    try {
      const Json row = Json::parse(line);
      judge_row(judgement, row);
      const std::string id = row.at("id");
      if (!ids.insert(id).second) refuse("{} appears a second time", id);
    } catch (const Json::exception& error) {
      refuse("{}, line {}: not a row of verdicts: {}", name, number, error.what());
    } catch (const InputError& error) {
      refuse("{}, line {}: {}", name, number, error.what());
    }
  }
  if (number == 0) refuse("{}: no rows; allowed is a file that verify wrote", name);
  // Each statement may fall short of its share by rounding, never exceed it by more.
  if (!(judgement.error_spent <= kFamilyWiseError * (1 + 1e-12))) {
    judgement.objections.push_back(
        fmt::format("the error shares add up to {:.6g}: allowed is {:g}", judgement.error_spent, kFamilyWiseError));
  }
  return judgement;
}

int run_judge(const std::string& path) {
  std::ifstream file(path);
  if (!file || file.peek() == std::ifstream::traits_type::eof())
    refuse("{}: cannot be read or is empty; allowed is a file that verify wrote", path);
  const Judgement judgement = judge_rows(file, path);
  for (const std::string& line : judgement.objections) fmt::print("! {}\n", line);
  fmt::print("{} statements and {} mutants judged from their evidence, whose errors add up to {:.3g}: {} objections\n",
             judgement.statements, judgement.mutants, judgement.error_spent, judgement.objections.size());
  return judgement.objections.empty() ? kAsExpected : kNotAsExpected;
}

void add_judge_command(CLI::App& app, SharedOptions& shared) {
  const auto path = std::make_shared<std::string>();
  CLI::App& sub = add_subcommand(app, "judge", "Recomputes every verdict from a verdicts.jsonl and compares", shared,
                                 [path] { return run_judge(*path); });
  sub.add_option("file", *path, "The verdicts.jsonl that verify or reproduce wrote")->required();
}

}  // namespace skt
