#include "gpu/check/cases/axes.hpp"

#include <fmt/format.h>

#include <type_traits>

#include "gpu/functors/packed_codes.hpp"
#include "sim/require.hpp"

namespace skt::gpu {
namespace {

std::vector<std::string> split(std::string_view text, char between) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(between);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// What `*` stands for, or the ends of a range.
std::vector<std::string> values_in(const std::string& field, const std::string& value) {
  std::vector<std::string> values;
  const std::size_t dots = value.find("..");
  if (value == "*") {
    with_field(field, [&]<class Value>(Value CheckCase::*) {
      if constexpr (std::is_enum_v<Value>) values = names_of<Value>();
    });
    if (values.empty()) refuse("axis {}=*: allowed is a field of words", field);
  } else if (dots != std::string::npos) {
    const auto end = [&](const std::string& text) { return value_from<std::int64_t>(field, text); };
    for (std::int64_t i = end(value.substr(0, dots)); i <= end(value.substr(dots + 2)); ++i)
      values.push_back(std::to_string(i));
    if (values.empty()) refuse("axis {}={}: allowed is a range that begins before its end", field, value);
  } else {
    values.push_back(value);
  }
  return values;
}

std::function<void(CheckCase&)> setter(const std::string& field, const std::string& value) {
  if (field == "group") {
    return [count = value_from<std::int64_t>(field, value)](CheckCase& c) { c.heads = c.kv_heads * count; };
  }
  std::function<void(CheckCase&)> set;
  with_field(field, [&]<class Value>(Value CheckCase::* member) {
    set = [member, held = value_from<Value>(field, value)](CheckCase& c) { c.*member = held; };
  });
  return set;
}

Axis axis_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) refuse("axis '{}': allowed is name=value|value", text);
  const std::vector<std::string> fields = split(std::string_view(text).substr(0, equals), ',');
  Axis axis;
  for (const std::string& given : split(std::string_view(text).substr(equals + 1), '|')) {
    if (fields.size() == 1) {
      for (const std::string& value : values_in(fields[0], given)) axis.push_back(setter(fields[0], value));
      continue;
    }
    const std::vector<std::string> values = split(given, ',');
    if (values.size() != fields.size())
      refuse("axis '{}': {} is not a value for each of {}", text, given, fields.size());
    std::vector<std::function<void(CheckCase&)>> all;
    for (std::size_t f = 0; f < fields.size(); ++f) all.push_back(setter(fields[f], values[f]));
    axis.push_back([all](CheckCase& c) {
      for (const auto& set : all) set(c);
    });
  }
  return axis;
}

}  // namespace

std::vector<Axis> axes_of(std::string_view text) {
  std::vector<Axis> axes;
  for (const std::string& one : split(text, ' ')) {
    if (!one.empty()) axes.push_back(axis_of(one));
  }
  return axes;
}

CheckCase first_case(std::string_view text) {
  CheckCase c;
  c.capacity = 0;
  for (const Axis& axis : axes_of(text)) axis.front()(c);
  return c;
}

CheckCase case_with(const CheckCase& base, const std::vector<Axis>& axes, const Combination& taken) {
  CheckCase c = base;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    if (taken[a] != kUnset) axes[a][taken[a]](c);
  }
  return c;
}

std::vector<std::size_t> sizes_of(const std::vector<Axis>& axes) {
  std::vector<std::size_t> sizes;
  for (const Axis& one : axes) sizes.push_back(one.size());
  return sizes;
}

void Grid::add(CheckCase c) {
  if (c.capacity == 0) c.capacity = (c.keys / kTileKeys + 1) * kTileKeys;
  c.seed = seed_;
  if (kept_.insert(c.text()).second) cases_.push_back(c);
}

void Grid::add_all(const std::string& text) {
  const std::vector<Axis> axes = axes_of(text);
  Combination taken(axes.size(), 0);
  for (bool more = true; more;) {
    add(case_with(first_case(text), axes, taken));
    more = false;
    for (std::size_t a = axes.size(); a-- > 0 && !more;) {
      more = ++taken[a] < axes[a].size();
      if (!more) taken[a] = 0;
    }
  }
}

void Grid::add(std::string_view table) {
  std::string common, begun;
  for (const std::string& line : split(table, '\n')) {
    if (line.empty()) common.clear();
    const std::size_t first = line.find_first_not_of(' ');
    if (first == std::string::npos || line[first] == '#') continue;
    const std::string text = begun + line.substr(0, line.size() - 1);
    begun.clear();
    if (line.back() == '\\') {
      begun = text;
    } else if (line.back() == ':') {
      common = text + ' ';
    } else {
      add_all(common + text + line.back());
    }
  }
}

void Grid::add_pairs(std::string_view common, std::string_view text) {
  const std::vector<Axis> axes = axes_of(text);
  const auto all_are_allowed = [](const Combination&) { return true; };
  for (const Combination& taken : pair_covering(sizes_of(axes), all_are_allowed))
    add(case_with(first_case(common), axes, taken));
}

}  // namespace skt::gpu
