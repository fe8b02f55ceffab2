// Every option of every command, by the tables: its default is allowed, what lies beyond its range is refused with status
// 2 and one line that names it, and its help and the page of commands say it.
#include <fmt/format.h>

#include <cmath>

#include "experiments/command/arguments.hpp"
#include "experiments/command/shipped_files.hpp"
#include "experiments/command_line.hpp"
#include "experiments/files/result_file.hpp"
#include "tests/catch.hpp"
#include "tests/experiments/refusal.hpp"

using namespace skt;

namespace {

const std::vector<MakeCommand> kAll = {attend_command,  audit_command,     certify_command,   choose_command,
                                       compare_command, gpu_bench_command, gpu_check_command, judge_command,
                                       oracle_command,  rank_command,      reproduce_command, search_command,
                                       sweep_command,   verify_command};

// What a field refuses: no value, another kind, a word that is none, and what lies just outside its range.
std::vector<std::string> refused_by(const Field& field) {
  const bool whole = field.kind() == ValueKind::whole || field.kind() == ValueKind::wholes;
  const bool number = field.kind() == ValueKind::number || field.kind() == ValueKind::numbers;
  std::vector<std::string> texts;
  if (field.kind() != ValueKind::flag) texts.emplace_back("");
  if (field.kind() == ValueKind::flag) texts.emplace_back("maybe");
  if (!field.words.empty()) texts.emplace_back("no-such-word");
  if (whole || number) texts.insert(texts.end(), {"many", "nan", "inf"});
  if (whole) texts.emplace_back("1.5");
  const auto add = [&](double beyond) {
    texts.push_back(whole ? fmt::format("{:.0f}", beyond) : fmt::format("{}", beyond));
  };
  const auto next = [&](double of, int step) { return whole ? of + step : std::nextafter(of, step * HUGE_VAL); };
  if (std::isfinite(field.low())) add(field.contains(field.low()) ? next(field.low(), -1) : field.low());
  if (std::isfinite(field.high())) add(field.contains(field.high()) ? next(field.high(), 1) : field.high());
  return texts;
}

int status_of(std::vector<std::string> words) {
  std::vector<char*> arguments;
  words.insert(words.begin(), "socketlab");
  for (std::string& word : words) arguments.push_back(word.data());
  const int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  return run_command_line(count, arguments.data(), kAll);
}

}  // namespace

TEST_CASE("The default of every option is one of the values that it allows", "[unit]") {
  for (const MakeCommand make : kAll) {
    const Command plain = make();
    for (const Field& field : plain.fields.rows()) {
      INFO(plain.name << " " << field.flag() << " " << field.standard);
      if (field.standard.empty()) continue;
      Command command = make();
      std::vector<std::string> texts{""};
      for (const char c : field.standard) {
        if (field.is_list() && c == ',')
          texts.emplace_back();
        else
          texts.back() += c;
      }
      CHECK(refusal([&] { command.fields.set(field.name, texts); }).empty());
      CHECK(command.fields.find(field.name)->text() == field.standard);
    }
  }
}

TEST_CASE("Every option refuses what lies beyond its range, by its name and with status 2", "[unit]") {
  for (const MakeCommand make : kAll) {
    const Command plain = make();
    for (const Field& field : plain.fields.rows()) {
      for (const std::string& text : refused_by(field)) {
        INFO(plain.name << " " << field.flag() << " " << text);
        Command command = make();
        CHECK(refusal<InputError>([&] { command.fields.set(field.name, {text}); }).starts_with(field.flag() + ": "));
      }
      const std::vector<std::string> texts = refused_by(field);
      if (field.positional || texts.empty()) continue;
      CHECK(status_of({plain.name, field.flag() + "=" + texts.back()}) == kBadInput);
    }
  }
}

TEST_CASE("What an option needs, excludes and uses are options and words that there are", "[unit]") {
  for (const MakeCommand make : kAll) {
    const Command command = make();
    for (const Field& field : command.fields.rows()) {
      INFO(command.name << " " << field.flag());
      for (const std::string& other : field.excluded) CHECK(command.fields.find(other) != nullptr);
      for (const Use& use : field.uses) {
        const Field* const other = command.fields.find(use.option);
        REQUIRE(other != nullptr);
        for (const std::string& word : use.words)
          CHECK((other->words.empty() || std::ranges::find(other->words, word) != other->words.end()));
      }
    }
  }
}

TEST_CASE("The help of a command has a line for each option, and the page of commands one for each command", "[unit]") {
  const std::string page = read_file(shipped_file("docs/commands.md"));
  for (const MakeCommand make : kAll) {
    const Command command = make();
    const std::string help = help_of(command);
    CHECK(page.find("`socketlab " + command.name) != std::string::npos);
    for (const Field& field : command.fields.rows()) {
      INFO(command.name << " " << field.flag());
      CHECK((help.find("\n  " + field.flag() + " ") != std::string::npos) != field.hidden);
      for (const std::string& word : field.words) CHECK(help.find(word) != std::string::npos);
    }
  }
}
