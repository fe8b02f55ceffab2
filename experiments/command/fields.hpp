// What can a command be asked for? One table, with a row for each option: its name, where its value goes, what it may
// be, what it says, and when it has an effect.
//
// The command line reads options by it (command_line.cpp), so does the Python package (python/bindings/options.hpp), and
// --help, the refusals, the line that gives the same results again, and the keywords of Python follow from it. A value
// that is out of range is refused as it is set, in one line that names the option; `check` refuses what does not go
// together. tests/experiments/command/all_options_test.cpp goes through the tables of all commands.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "experiments/command/words.hpp"
#include "sim/matrix.hpp"

namespace skt {

// What the address of a draw holds: 24 bits for the table, 32 for the sample and for the trial; of trials fewer, since
// what each measured is kept until all are in.
inline constexpr std::uint64_t kMostTables = 1u << 24, kMostSamples = 0xffffffff, kMostTrials = 1u << 24;

// A choice among words, whatever they mean.
struct Choice {
  std::function<void(const std::string&)> set;
  std::function<std::string()> word;
};

// Where the value goes. An empty one of the optional numbers: the default follows from the rest.
using Place = std::variant<bool*, int*, Index*, std::uint64_t*, double*, std::string*, std::optional<Index>*,
                           std::optional<std::uint64_t>*, std::optional<double>*, std::vector<Index>*,
                           std::vector<double>*, std::vector<std::string>*, Choice>;

enum class ValueKind { flag, whole, number, text, wholes, numbers, texts, count };

// What another option must say for this one to have an effect.
struct Use {
  std::string option;
  std::vector<std::string> words{};  // one of these; none: anything but nothing and 0
  bool unless = false;               // anything but one of these
};

class Field {
 public:
  std::string name, help;  // the name without dashes
  Place place;
  std::string standard;              // what stands there unless it is set, as text
  std::vector<std::string> words{};  // that are allowed; empty: any
  std::vector<std::string> excluded{};
  std::vector<Use> uses{};
  std::string alias{};    // the name of earlier versions, which no help says
  bool is_count = false;  // a text: a count of keys, or with a decimal point a fraction of them
  bool required = false;
  bool positional = false;
  bool hidden = false;          // of the help
  bool changes_results = true;  // else the line that gives the same results leaves it out
  bool writes_nothing = false;  // a run with it writes no result file
  int turn = 0;                 // 0: not set; else it was set so many options after the first
  std::string given{};          // the value as it was typed

  Field(std::string of, std::string says, Place where);

  // Ends included.
  Field& from(double low, double high = kInfinity) { return within(low, high); }
  // Ends excluded; at_most: but for the upper one.
  Field& above(double low, double high = kInfinity);
  Field& at_most(double high) { return high_ = high, open_high_ = false, *this; }
  Field& of(std::vector<std::string> allowed) { return words = std::move(allowed), *this; }
  // The default of an optional number, for the help.
  Field& usually(std::string text) { return standard = std::move(text), *this; }
  Field& used_with(std::string option, std::vector<std::string> which = {});
  Field& unless(std::string option, std::vector<std::string> which);
  Field& excludes(const std::vector<std::string>& others);
  Field& also(std::string other) { return alias = std::move(other), *this; }
  Field& counts_keys() { return is_count = true, *this; }
  Field& needed() { return required = true, *this; }
  Field& stands_alone() { return positional = required = true, *this; }
  Field& hides() { return hidden = true, *this; }
  Field& changes_no_result() { return changes_results = false, *this; }
  Field& prints_only() { return writes_nothing = true, *this; }

  double low() const { return low_; }
  double high() const { return high_; }
  ValueKind kind() const;
  bool is_list() const {
    return kind() == ValueKind::wholes || kind() == ValueKind::numbers || kind() == ValueKind::texts;
  }
  std::string flag() const { return positional ? name : "--" + name; }
  std::string allowed() const;  // "whole numbers from 1 to 30"
  std::string text() const;     // the present value
  bool contains(double number) const;
  [[noreturn]] void refuse_value(const std::string& text) const;

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Field& within(double low, double high) { return low_ = low, high_ = high, *this; }

  double low_ = -kInfinity, high_ = kInfinity;
  bool open_low_ = false, open_high_ = false;
};

class Fields {
 public:
  // chooser: how a message calls the value of an option without dashes: "oracle" of `oracle weight`.
  explicit Fields(std::string chooser = "") : chooser_(std::move(chooser)) {}

  Field& add(std::string name, Place place, std::string help);
  template <class T>
  Field& add(std::string name, T& value, const Words<T>& words, std::string help);

  const std::deque<Field>& rows() const { return rows_; }
  Field* find(const std::string& name);  // by its alias too; null: there is none
  const Field* find(const std::string& name) const { return const_cast<Fields*>(this)->find(name); }
  Field& at(const std::string& name);  // InputError names the nearest
  bool is_given(const std::string& name) const { return find(name)->turn > 0; }

  // No text for a flag, several for a list. InputError for what is out of range, and for a value set twice.
  void set(const std::string& name, const std::vector<std::string>& texts);
  // InputError where an option that is needed is missing, two exclude each other, or one that is given has no effect.
  void check() const;

  // What was set, in that order, of what changes results: " --keys 32 --values 4,16".
  std::string given() const;
  std::vector<std::string> nearest(const std::string& name) const;

  std::function<void()> before{};  // runs before options are read

 private:
  void check_use(const Field& field, const Use& use) const;

  std::string chooser_;
  std::deque<Field> rows_;
  int turns_ = 0;
};

// The three that are most like `word`, by the letters that must change, come or go (Levenshtein).
std::vector<std::string> nearest_of(std::vector<std::string> names, const std::string& word);

template <class T>
Field& Fields::add(std::string name, T& value, const Words<T>& words, std::string help) {
  const Choice choice{[&value, &words](const std::string& word) { value = words.at(word); },
                      [&value, &words] { return word_for(words, value); }};
  Field& field = add(std::move(name), choice, std::move(help));
  for (const auto& [word, meant] : words) field.words.push_back(word);
  return field;
}

}  // namespace skt
