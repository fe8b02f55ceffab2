#include "experiments/command/option_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

#include "sim/require.hpp"

namespace skt {
namespace {

// They choose how and where a run is done, and no result follows from them; the seed is written in any case.
constexpr std::array<std::string_view, 8> kLeftOut{"--threads", "--out",   "--slice",       "--merge",
                                                   "--force",   "--junit", "--annotations", "--seed"};

// How many letters must change, come or go to make one of the other (Levenshtein).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

// An option that the help leaves out gives no name of itself.
std::string typed_name(const CLI::Option& option) {
  return option.get_lnames().empty() ? option.get_name() : "--" + option.get_lnames().front();
}

}  // namespace

std::string command_text(const CLI::App& sub, const SharedOptions& shared) {
  std::set<const CLI::Option*> seen;
  std::string text = "socketlab " + sub.get_name();
  for (const CLI::Option* option : sub.parse_order()) {
    const std::string name = typed_name(*option);
    const bool left_out = std::find(kLeftOut.begin(), kLeftOut.end(), name) != kLeftOut.end();
    if (left_out || !seen.insert(option).second) continue;
    text += fmt::format(" {} {}", name, fmt::join(option->results(), ","));
  }
  return text + fmt::format(" --seed {}", shared.seed);
}

std::string unknown_words(const CLI::App& app, const std::vector<std::string>& words) {
  const std::string word = words.empty() ? "" : words.front().substr(0, words.front().find('='));
  const auto chosen = app.get_subcommands();
  const CLI::App& sub = chosen.empty() ? app : *chosen.front();
  const std::string help = fmt::format("socketlab{} --help", chosen.empty() ? "" : " " + sub.get_name());
  if (!word.starts_with('-')) return fmt::format("{}: not expected here; `{}` says what is allowed", word, help);
  std::vector<std::string> names;
  for (const CLI::Option* option : sub.get_options())
    if (!option->get_group().empty()) names.push_back(option->get_name());
  std::erase_if(names, [](const std::string& name) { return !name.starts_with('-'); });
  std::stable_sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    return edit_distance(a, word) < edit_distance(b, word);
  });
  names.resize(std::min<std::size_t>(names.size(), 3));
  return fmt::format("{}: no such option; the nearest are {}; `{}` lists all that are allowed", word,
                     fmt::join(names, ", "), help);
}

void refuse_unused(const CLI::App& sub, const std::string& chooser, const std::string& choice,
                   const std::vector<UsedBy>& uses) {
  for (const UsedBy& use : uses) {
    if (sub.count(use.option) == 0 || std::ranges::find(use.choices, choice) != use.choices.end()) continue;
    refuse("{} is given, which {} {} does not use: allowed with {} {}", use.option, chooser, choice, chooser,
           fmt::join(use.choices, ", "));
  }
}

std::string comma_list(const std::vector<std::string>& items, ListLayout layout) {
  std::string text;
  Index column = layout.indent;
  for (Index i = 0; i < std::ssize(items); ++i) {
    const std::string item = items[i] + (i + 1 < std::ssize(items) ? "," : "");
    const bool first = column == layout.indent;
    if (!first && column + 1 + std::ssize(item) > layout.width) {
      text += "\n" + std::string(layout.indent, ' ') + item;
      column = layout.indent + std::ssize(item);
    } else {
      text += (first ? "" : " ") + item;
      column += std::ssize(item) + (first ? 0 : 1);
    }
  }
  return text;
}

}  // namespace skt
