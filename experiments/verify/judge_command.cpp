#include "experiments/verify/judge_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "experiments/command/command.hpp"
#include "experiments/command/progress.hpp"
#include "experiments/command/provenance.hpp"
#include "experiments/verify/row_objections.hpp"
#include "proofs_check/rows/verdict_rows.hpp"
#include "proofs_check/statements.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

void require_origin(const Origin& origin, const std::string& version, const std::string& list) {
  if (origin.version == version && origin.list == list) return;
  refuse("made_by: version \"{}\" with the statements {}; allowed are rows of this program, version \"{}\" with {}",
         origin.version, origin.list, version, list);
}

// The first place where the ids are not those that the file should hold, in their order.
Objection order_objection(const std::vector<VerdictRow>& rows, const std::vector<const Statement*>& expected) {
  const auto same_id = [](const VerdictRow& row, const Statement* statement) {
    return row.result.statement.id == statement->id;
  };
  const auto [row, statement] = std::mismatch(rows.begin(), rows.end(), expected.begin(), expected.end(), same_id);
  const std::string due = statement == expected.end() ? "no further row" : (*statement)->id;
  if (row != rows.end())
    return fmt::format("line {}, {}: id: expected is {}", row->line, row->result.statement.id, due);
  if (statement != expected.end()) return fmt::format("after the last row: id: expected is {}", due);
  return {};
}

Objection objection(const VerdictRow& row, const Origin& origin, const Statement& statement,
                    const JudgeSettings& settings) {
  if (row.result.origin != origin) return "made_by: not the run of the first row";
  return objection_to(row.json, statement, share_of(statement, settings.all));
}

double error_of(const std::vector<Evidence>& evidence) {
  double sum = 0;
  for (const Evidence& piece : evidence) sum += piece.error_share;
  return sum;
}

void count(const StatementResult& result, Judgement& judgement) {
  ++judgement.statements;
  judgement.mutants += result.mutants.size();
  judgement.controls += result.controls.size();
  judgement.error_spent += error_of(result.evidence);
  for (const auto* variants : {&result.mutants, &result.controls}) {
    for (const VariantResult& variant : *variants) judgement.error_spent += error_of(variant.evidence);
  }
}

void measure_again(const std::vector<const VerdictRow*>& rows, const JudgeSettings& settings, Judgement& judgement) {
  ProgressMeter meter("judge", rows.size());
  for (const VerdictRow* row : rows) {
    if (const auto difference = objection_when_measured_again(row->json, settings.all, *settings.rerun))
      judgement.objections.push_back(fmt::format("line {}, {}: {}", row->line, row->result.statement.id, *difference));
    meter.advance();
  }
}

}  // namespace

Judgement judge_rows(std::istream& lines, const std::string& name, const JudgeSettings& settings) {
  const auto of_this_program = [&, list = fingerprint(settings.all)](const StatementResult& result) {
    require_origin(result.origin, settings.version, list);
  };
  const std::vector<VerdictRow> rows = read_rows(lines, name, of_this_program);
  const std::vector<const Statement*> expected = chosen_statements(settings.all, settings.only);
  Judgement judgement;
  if (const auto what = order_objection(rows, expected)) judgement.objections.push_back(*what);
  std::vector<const VerdictRow*> sound;
  for (const VerdictRow& row : rows) {
    count(row.result, judgement);
    const auto same_id = [&](const Statement* statement) { return statement->id == row.result.statement.id; };
    const auto statement = std::find_if(expected.begin(), expected.end(), same_id);
    if (statement == expected.end()) continue;  // its order met an objection
    if (const auto what = objection(row, rows.front().result.origin, **statement, settings)) {
      judgement.objections.push_back(fmt::format("line {}, {}: {}", row.line, row.result.statement.id, *what));
    } else {
      sound.push_back(&row);
    }
  }
  if (settings.rerun) measure_again(sound, settings, judgement);
  return judgement;
}

int run_judge(const std::string& path, const JudgeSettings& settings) {
  std::ifstream file(path);
  if (!file || file.peek() == std::ifstream::traits_type::eof())
    refuse("{}: cannot be read or is empty; allowed is a file that verify wrote", path);
  const Judgement judgement = judge_rows(file, path, settings);
  for (const std::string& line : judgement.objections) fmt::print("! {}\n", line);
  fmt::print(
      "{} statements, {} planted lies and {} controls judged, with error probabilities that add up to {:.3g} of at most {:g}: {} objections\n",
      judgement.statements, judgement.mutants, judgement.controls, judgement.error_spent, kStatementsError,
      judgement.objections.size());
  return judgement.objections.empty() ? kAsExpected : kNotAsExpected;
}

namespace {

struct JudgeRequest {
  std::string path;
  std::vector<std::string> only;
  double rerun = 0;
  bool quick = false;
};

void add_fields(Fields& fields, JudgeRequest& request) {
  fields.add("file", &request.path, "The verdicts.jsonl that verify or reproduce wrote").stands_alone();
  fields.add("only", &request.only, "Ids that the file should contain; by default all");
  fields
      .add("rerun", &request.rerun,
           "Fraction, 0 to 1, of the statements with random evidence that are measured again in full, chosen by --seed")
      .from(0, 1);
  fields.add("quick", &request.quick, "Measures nothing again").excludes({"rerun"});
}

int run_judge_command(const JudgeRequest& request, const SharedOptions& shared) {
  JudgeSettings settings{.all = all_statements(), .version = program_version(), .only = request.only};
  if (!request.quick) settings.rerun = Rerun{.share = request.rerun, .seed = {shared.seed}};
  return run_judge(request.path, settings);
}

}  // namespace

Command judge_command() {
  Command command =
      make_command<JudgeRequest>("judge", "Checks a verdicts.jsonl against what this program's statements give",
                                 run_judge_command, Writes::nothing);
  command.footer =
      "Prints one line for each row that is missing, added or out of order, or that has:\n"
      "  - a text, quote, scope, expectation, severity, or name of a lie or control that differs from the program's;\n"
      "  - an interval that does not follow from its counts or moments;\n"
      "  - shares of the error probability that are too large;\n"
      "  - a verdict or summary that does not follow from the evidence.\n"
      "Rows of another version, or of another list of statements, are refused (exit 2).\n"
      "Then it measures again. Statements without random evidence must give the same row to the byte (except in a deep "
      "run); for the others the claims are measured again, at smoke size. Not caught without --rerun 1: random counts "
      "or moments edited together with the interval that follows from them, and numbers of trials next to exact values "
      "there. Not caught with --quick: also edited claims and exact observations.\n"
      "Rows made with another compiler, library or processor can differ when measured again; provenance.json in the "
      "same folder says what made them.";
  return command;
}

}  // namespace skt
