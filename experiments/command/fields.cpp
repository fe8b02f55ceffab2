#include "experiments/command/fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "sim/require.hpp"

namespace skt {
namespace {

constexpr std::size_t kMostListed = 16;  // words that a refusal lists; of more it names the nearest

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

template <class T>
T value_in(const Field& field, const std::string& text) {
  if constexpr (std::is_same_v<T, std::string>) {
    const bool known = field.words.empty() || std::ranges::find(field.words, text) != field.words.end();
    if (text.empty() || !known) field.refuse_value(text);
    return text;
  } else {
    T number{};
    const char* const end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(text.data(), end, number);
    if (failure != std::errc() || stop != end || !field.contains(static_cast<double>(number))) field.refuse_value(text);
    return number;
  }
}

struct Put {
  const Field& field;
  const std::vector<std::string>& texts;

  const std::string& only() const {
    if (texts.empty()) field.refuse_value("");
    return texts.front();
  }
  void operator()(bool* place) const {
    const std::string text = texts.empty() ? "true" : texts.front();
    require(text == "true" || text == "false", "{}: {} given; allowed are true, false", field.flag(), text);
    *place = text == "true";
  }
  template <class T>
  void operator()(T* place) const {
    *place = value_in<T>(field, only());
  }
  template <class T>
  void operator()(std::optional<T>* place) const {
    *place = value_in<T>(field, only());
  }
  template <class T>
  void operator()(std::vector<T>* place) const {
    place->clear();
    for (const std::string& text : texts) {
      const T value = value_in<T>(field, text);
      if (std::ranges::find(*place, value) != place->end())
        refuse("{}: {} twice; allowed is each once", field.flag(), text);
      place->push_back(value);
    }
  }
  void operator()(const Choice& choice) const { choice.set(value_in<std::string>(field, only())); }
};

struct Text {
  std::string operator()(const bool* place) const { return *place ? "true" : ""; }
  template <class T>
  std::string operator()(const T* place) const {
    return fmt::format("{}", *place);
  }
  template <class T>
  std::string operator()(const std::optional<T>* place) const {
    return *place ? fmt::format("{}", **place) : "";
  }
  template <class T>
  std::string operator()(const std::vector<T>* place) const {
    return fmt::format("{}", fmt::join(*place, ","));
  }
  std::string operator()(const Choice& choice) const { return choice.word(); }
};

struct ValueKindOf {
  ValueKind operator()(const bool*) const { return ValueKind::flag; }
  ValueKind operator()(const double*) const { return ValueKind::number; }
  ValueKind operator()(const std::string*) const { return ValueKind::text; }
  ValueKind operator()(const Choice&) const { return ValueKind::text; }
  template <class T>
  ValueKind operator()(const T*) const {
    return ValueKind::whole;
  }
  template <class T>
  ValueKind operator()(const std::optional<T>*) const {
    return (*this)(static_cast<const T*>(nullptr));
  }
  template <class T>
  ValueKind operator()(const std::vector<T>*) const {
    const ValueKind one = (*this)(static_cast<const T*>(nullptr));
    return one == ValueKind::whole    ? ValueKind::wholes
           : one == ValueKind::number ? ValueKind::numbers
                                      : ValueKind::texts;
  }
};

}  // namespace

Field::Field(std::string of, std::string says, Place where)
    : name(std::move(of)), help(std::move(says)), place(std::move(where)), standard(text()) {
  if (std::holds_alternative<std::uint64_t*>(place) || std::holds_alternative<std::optional<std::uint64_t>*>(place))
    from(0);
}

Field& Field::above(double low, double high) {
  open_low_ = open_high_ = true;
  return within(low, high);
}

Field& Field::used_with(std::string option, std::vector<std::string> which) {
  uses.push_back({std::move(option), std::move(which)});
  return *this;
}

Field& Field::unless(std::string option, std::vector<std::string> which) {
  uses.push_back({std::move(option), std::move(which), true});
  return *this;
}

Field& Field::excludes(const std::vector<std::string>& others) {
  excluded.insert(excluded.end(), others.begin(), others.end());
  return *this;
}

ValueKind Field::kind() const {
  return is_count ? ValueKind::count : std::visit(ValueKindOf(), place);
}

std::string Field::text() const {
  return std::visit(Text(), place);
}

bool Field::contains(double number) const {
  return std::isfinite(number) && (open_low_ ? number > low_ : number >= low_) &&
         (open_high_ ? number < high_ : number <= high_);
}

std::string Field::allowed() const {
  if (!words.empty()) return fmt::format("{}", fmt::join(words, ", "));
  const ValueKind of = kind();
  if (of == ValueKind::text) return "non-empty texts";
  if (of == ValueKind::texts) return "items separated by commas";
  if (of == ValueKind::count) return "a count such as 128 or a fraction such as 0.05";
  if (of == ValueKind::flag) return "true, false";
  const bool whole = of == ValueKind::whole || of == ValueKind::wholes, low = std::isfinite(low_),
             high = std::isfinite(high_);
  std::string text = whole ? "whole numbers" : "numbers";
  const auto end = [&](double number) { return whole ? fmt::format("{:.0f}", number) : fmt::format("{}", number); };
  if (low) text += (open_low_ ? " above " : " from ") + end(low_);
  if (high) text += (open_high_ ? " and below " : open_low_ ? " and at most " : " to ") + end(high_);
  if (low && !high && !open_low_) text += " on";
  if (high) return text;
  if (is_list()) return text + " separated by commas";
  return text + (whole ? " that 64 bits hold" : low ? "" : " that a double holds");
}

void Field::refuse_value(const std::string& text) const {
  const std::string shown = text.empty() ? "nothing" : text;
  if (words.size() > kMostListed)
    refuse("{}: {} given; the nearest that are allowed are {}", flag(), shown,
           fmt::join(nearest_of(words, text), ", "));
  refuse("{}: {} given; allowed are {}", flag(), shown, allowed());
}

Field& Fields::add(std::string name, Place place, std::string help) {
  return rows_.emplace_back(std::move(name), std::move(help), std::move(place));
}

Field* Fields::find(const std::string& name) {
  const auto found = std::ranges::find_if(
      rows_, [&](const Field& row) { return row.name == name || (!row.alias.empty() && row.alias == name); });
  return found == rows_.end() ? nullptr : &*found;
}

Field& Fields::at(const std::string& name) {
  Field* const field = find(name);
  if (field == nullptr) refuse("--{}: no such option; the nearest are {}", name, fmt::join(nearest(name), ", "));
  return *field;
}

void Fields::set(const std::string& name, const std::vector<std::string>& texts) {
  Field& field = at(name);
  if (field.turn > 0) refuse("{}: given twice; allowed is once", field.flag());
  std::visit(Put{field, texts}, field.place);
  if (field.kind() == ValueKind::flag) {  // a flag that is put to false is as one that is not there
    field.turn = field.text().empty() ? 0 : ++turns_;
    return;
  }
  field.turn = ++turns_;
  field.given = fmt::format("{}", fmt::join(texts, ","));
}

void Fields::check_use(const Field& field, const Use& use) const {
  const Field& other = *find(use.option);
  const std::string value = other.text();
  if (use.words.empty()) {
    if (value.empty()) refuse("{} is given without {}: allowed with {}", field.flag(), other.flag(), other.flag());
    if (value == "0")
      refuse("{} is given, which {} 0 does not use: allowed with another {}", field.flag(), other.flag(), other.flag());
    return;
  }
  const auto says = [&](const std::string& word) {
    return ("," + value + ",").find("," + word + ",") != std::string::npos;
  };
  if (std::ranges::any_of(use.words, says) != use.unless) return;
  const std::string chooser = other.positional ? chooser_ : other.flag();
  if (use.unless)
    refuse("{} is given, which {} {} does not use: allowed is to leave it out", field.flag(), chooser, value);
  refuse("{} is given, which {} {} does not use: allowed with {} {}", field.flag(), chooser, value, chooser,
         fmt::join(use.words, ", "));
}

void Fields::check() const {
  for (const Field& field : rows_) {
    if (field.turn == 0) {
      if (field.required) refuse("{} is required", field.flag());
      continue;
    }
    for (const std::string& other : field.excluded)
      if (is_given(other)) refuse("{} is given with {}: allowed is one of the two", field.flag(), find(other)->flag());
    for (const Use& use : field.uses) check_use(field, use);
  }
}

std::string Fields::given() const {
  std::vector<const Field*> set;
  for (const Field& field : rows_)
    if (field.turn > 0 && field.changes_results) set.push_back(&field);
  std::ranges::sort(set, {}, &Field::turn);
  std::string text;
  for (const Field* field : set)
    text += fmt::format(" {}{}{}", field->flag(), field->given.empty() ? "" : " ", field->given);
  return text;
}

std::vector<std::string> Fields::nearest(const std::string& name) const {
  std::vector<std::string> names{"help"};
  for (const Field& field : rows_)
    if (!field.hidden && !field.positional) names.push_back(field.name);
  names = nearest_of(names, name);
  for (std::string& near : names) near = "--" + near;
  return names;
}

std::vector<std::string> nearest_of(std::vector<std::string> names, const std::string& word) {
  std::ranges::stable_sort(names, {}, [&](const std::string& name) { return edit_distance(name, word); });
  names.resize(std::min<std::size_t>(names.size(), 3));
  return names;
}

}  // namespace skt
