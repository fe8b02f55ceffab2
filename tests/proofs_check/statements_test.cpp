#include "proofs_check/statements.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <sstream>

#include "proofs_check/near_mutants.hpp"
#include "proofs_check/rows/verdict_rows.hpp"
#include "tests/numbers.hpp"
#include "tests/threads.hpp"

using namespace skt;

namespace {

StatementResult with_fault(const std::string& fault, const std::string& id) {
  return run_statements(all_statements(), {.profile = Profile::smoke, .fault = fault, .only = {id}}).front();
}

std::string rows(const std::vector<std::string>& ids, int threads) {
  const Threads of_the_run(threads);
  std::string text;
  for (const StatementResult& r : run_statements(all_statements(), {.profile = Profile::smoke, .only = ids}))
    text += to_row(r).dump() + "\n";
  return text;
}

// What is missing, and in which statements.
using Lacks = std::map<std::string, std::vector<std::string>>;

std::string in_words(const Lacks& lacks) {
  std::string text;
  for (const auto& [what, ids] : lacks) text += fmt::format("\n{} ({}): {}", what, ids.size(), fmt::join(ids, ", "));
  return text;
}

std::ptrdiff_t words_in(const std::string& text) {
  std::istringstream stream(text);
  return std::distance(std::istream_iterator<std::string>(stream), {});
}

void look_for_words(const Statement& s, Lacks& lacks) {
  const bool printed = s.wording == Wording::printed, refuted = s.expected == Verdict::refuted;
  const auto require_that = [&](bool there, const char* what) {
    if (!there) lacks[what].push_back(s.id);
  };
  if (printed) require_that(words_in(s.quote) >= 1 && words_in(s.quote) <= 15, "printed, without 1 to 15 words quoted");
  if (refuted) require_that(!s.controls.empty(), "refuted, without a control");
  if (printed && refuted) require_that(s.severity != Severity::none, "printed and refuted, without a severity");
  if (!printed || !refuted) require_that(s.severity == Severity::none, "a severity, but not both printed and refuted");
}

double error_of(const std::vector<Evidence>& evidence) {
  double sum = 0;
  for (const Evidence& piece : evidence) sum += piece.error_share;
  return sum;
}

bool are_named(const std::vector<Evidence>& evidence) {
  return std::all_of(evidence.begin(), evidence.end(),
                     [](const Evidence& piece) { return !piece.instance.empty() && !piece.quantity.empty(); });
}

// A statement that is refuted is itself the lie that is seen; its control shows that the truth is not.
void look_for_evidence(const StatementResult& r, Lacks& lacks) {
  double spent = error_of(r.evidence);
  for (const VariantResult& mutant : r.mutants) spent += error_of(mutant.evidence);
  for (const VariantResult& control : r.controls) spent += error_of(control.evidence);
  if (!are_named(r.evidence)) lacks["evidence without an instance or a quantity"].push_back(r.statement.id);
  if (r.statement.chance == Chance::random && spent == 0)
    lacks["random, but spends no error: say .chance"].push_back(r.statement.id);
  if (r.statement.chance == Chance::none && spent != 0)
    lacks["without chance, but spends error"].push_back(r.statement.id);
  if (r.statement.expected == Verdict::not_refuted && !has_near_mutant(r) && r.statement.no_near_mutant.empty())
    lacks["no near mutant, and no reason"].push_back(r.statement.id);
}

}  // namespace

TEST_CASE("Every statement says what it claims, and a true one has two lies to refute", "[statement]") {
  for (const Statement& s : all_statements()) {
    INFO(s.id);
    CHECK_FALSE(s.title.empty());
    CHECK_FALSE(s.source.empty());
    CHECK_FALSE(s.scope.empty());
    if (s.expected == Verdict::not_refuted) CHECK(s.mutants.size() >= 2);
    if (s.expected == Verdict::refuted) CHECK_FALSE(s.remark.empty());
  }
}

// By their names the files of two runs are compared.
TEST_CASE("No statement has two lies or two controls of one name", "[statement]") {
  for (const Statement& s : all_statements()) {
    INFO(s.id);
    std::set<std::string> lies, controls;
    for (const Mutant& lie : s.mutants) CHECK(lies.insert(lie.name).second);
    for (const Control& control : s.controls) CHECK(controls.insert(control.name).second);
  }
}

// One run for all that is asked of its results: it is what takes the time of these tests.
TEST_CASE("At smoke size every verdict, mutant and control is as expected, and no statement lacks what it needs",
          "[statement][mutant]") {
  const std::vector<Statement> all = all_statements();
  const std::vector<StatementResult> results = run_statements(all, {.profile = Profile::smoke});
  REQUIRE(results.size() == all.size());

  Lacks lacks;
  for (std::size_t i = 0; i < all.size(); ++i) {
    INFO(to_row(results[i]).dump(1));
    CHECK(as_expected(results[i]));
    look_for_words(all[i], lacks);
    look_for_evidence(results[i], lacks);
  }
  CHECK(in_words(lacks) == "");
  for (const std::string id : {"S002-SRP", "S002-E21", "S002-L9-law", "S000-1"}) {
    INFO(id);
    const auto whole =
        std::find_if(results.begin(), results.end(), [&](const auto& r) { return r.statement.id == id; });
    CHECK(rows({id}, 1) == to_row(*whole).dump() + "\n");
  }
}

TEST_CASE("Each planted fault of the estimators refutes a named statement", "[statement][mutant]") {
  const std::vector<std::pair<std::string, std::vector<std::string>>> noticed_by = {
      {"no-scaling", {"S000-2", "S002-POP", "S002-Q4"}},
      {"little-endian", {"S000-2", "S002-A2b", "S002-POP"}},
      {"reused-table", {"S002-A1-tables", "S002-Q3", "S002-L9-law", "OWN-in-use"}},
      {"strict-sign", {"S000-1"}},
      {"wrong-normaliser", {"S002-E15", "S002-A1-tables", "S000-4", "OWN-17vii"}},
      {"wrong-ties", {"S000-6", "OWN-17i", "OWN-17ii"}},
      {"uniform-planes", {"S002-SRP", "S002-POP", "S002-Q4"}},
  };
  REQUIRE(noticed_by.size() == fault_names().size());

  for (const auto& [fault, ids] : noticed_by) {
    for (const std::string& id : ids) {
      INFO(fault << " " << id);
      CHECK(with_fault(fault, id).verdict == Verdict::refuted);
    }
  }
}

TEST_CASE("A statement names the line of its id, and takes at most 150 lines of its file", "[unit]") {
  std::map<std::string, std::vector<std::string>> lines_of;
  std::map<std::string, std::size_t> statements_in;
  for (const Statement& s : all_statements()) {
    INFO(s.id << " at " << s.place);
    const std::size_t colon = s.place.rfind(':');
    const std::string name = s.place.substr(0, colon);
    ++statements_in[name];
    std::vector<std::string>& lines = lines_of[name];
    if (lines.empty()) {
      std::ifstream file(std::string(SKT_SOURCE_DIR) + "/" + name);
      for (std::string line; std::getline(file, line);) lines.push_back(line);
    }
    CHECK(lines.at(std::stoul(s.place.substr(colon + 1)) - 1).find("\"" + s.id + "\"") != std::string::npos);
    CHECK(name.find("/" + s.group.area + "/") != std::string::npos);
  }
  CHECK(lines_of.size() > 50);
  for (const auto& [name, statements] : statements_in) {
    INFO(name);
    CHECK(lines_of[name].size() <= 150 * statements);
  }
}

TEST_CASE("A group asks a question, and says method and power in sentences of 40 words at most", "[unit]") {
  const std::regex end_of_sentence("\\.\\s+(?=[A-Z(])");
  for (const Statement& s : all_statements()) {
    INFO(s.place);
    CHECK(s.group.question.find('?') != std::string::npos);
    CHECK(words_in(s.group.method) <= 80);
    for (const std::string& text : {s.group.method, s.group.power}) {
      CHECK_FALSE(text.empty());
      for (std::sregex_token_iterator one(text.begin(), text.end(), end_of_sentence, -1), last; one != last; ++one)
        CHECK(words_in(*one) <= 40);
    }
  }
}

TEST_CASE("The same verdict rows for 1, 2 and 16 threads", "[statement]") {
  const std::vector<std::string> ids = {"S002-SRP", "S002-Q4", "S002-L6d", "S002-E21", "S002-VAR", "S002-E39"};

  const std::string one = rows(ids, 1);

  CHECK(rows(ids, 2) == one);
  CHECK(rows(ids, 16) == one);
}
