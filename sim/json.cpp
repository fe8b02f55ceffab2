#include "sim/json.hpp"

#include <fmt/format.h>
#include <cmath>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>

namespace skt {
namespace {

using Text = nlohmann::ordered_json;

[[noreturn]] void of_type(const char* due, const Json& json) {
  throw JsonError(fmt::format("type must be {}, but is {}", due, json.type_name()));
}

template <class T>
T number_of(const auto& value, const Json& json) {
  return std::visit(
      [&](const auto& x) -> T {
        using X = std::decay_t<decltype(x)>;
        if constexpr (std::is_arithmetic_v<X> && !std::same_as<X, bool>)
          return static_cast<T>(x);
        else
          of_type("number", json);
      },
      value);
}

}  // namespace

struct JsonText {
  static Json read(Text&& text) {
    if (text.is_null() || text.is_discarded()) return {};
    if (text.is_boolean()) return text.get<bool>();
    if (text.is_number_unsigned()) return text.get<std::uint64_t>();
    if (text.is_number_integer()) return text.get<std::int64_t>();
    if (text.is_number_float()) return text.get<double>();
    if (text.is_string()) return std::move(text.get_ref<std::string&>());
    Json json = text.is_array() ? Json::array() : Json::object();
    if (text.is_array()) {
      auto& elements = std::get<std::vector<Json>>(json.value_);
      elements.reserve(text.size());
      for (Text& element : text) elements.push_back(read(std::move(element)));
    } else {
      auto& members = std::get<std::vector<Json::Member>>(json.value_);
      for (auto& [key, value] : text.get_ref<Text::object_t&>()) members.push_back({key, read(std::move(value))});
    }
    return json;
  }

  static Text written(const Json& json) {
    return std::visit(
        [](const auto& x) -> Text {
          using X = std::decay_t<decltype(x)>;
          if constexpr (std::same_as<X, std::vector<Json>>) {
            Text text = Text::array();
            for (const Json& element : x) text.push_back(written(element));
            return text;
          } else if constexpr (std::same_as<X, std::vector<Json::Member>>) {
            Text text = Text::object();
            auto& members = text.get_ref<Text::object_t&>();  // whose own insertion looks for the key
            members.reserve(x.size());
            for (const Json::Member& member : x) members.push_back({member.key, written(member.value)});
            return text;
          } else {
            return x;
          }
        },
        json.value_);
  }
};

Json::Json() noexcept : value_(nullptr) {}
Json::Json(std::string text) noexcept : value_(std::move(text)) {}
Json::Json(const Json&) = default;
Json::Json(Json&&) noexcept = default;
Json& Json::operator=(const Json&) = default;
Json& Json::operator=(Json&&) noexcept = default;
Json::~Json() = default;

Json::Json(std::initializer_list<Json> list) : Json() {
  const bool members =
      std::ranges::all_of(list, [](const Json& x) { return x.is_array() && x.size() == 2 && x.front().is_string(); });
  if (!members) {
    value_ = std::vector<Json>(list);
    return;
  }
  value_ = std::vector<Member>();
  for (const Json& member : list) (*this)[member.at(0).text()] = member.at(1);
}

Json Json::array(std::initializer_list<Json> elements) {
  Json json;
  json.value_ = std::vector<Json>(elements);
  return json;
}

Json Json::object() {
  Json json;
  json.value_ = std::vector<Member>();
  return json;
}

Json Json::parse(std::string_view text) try {
  return JsonText::read(Text::parse(text));
} catch (const Text::exception& error) {
  throw JsonError(error.what());
}

Json Json::parse_or_null(std::string_view text) {
  return JsonText::read(Text::parse(text, nullptr, false));
}

std::string Json::dump(int indent) const try {
  return JsonText::written(*this).dump(indent);
} catch (const Text::exception& error) {
  throw JsonError(error.what());
}

bool Json::is_null() const {
  return std::holds_alternative<std::nullptr_t>(value_);
}
bool Json::is_boolean() const {
  return std::holds_alternative<bool>(value_);
}
bool Json::is_number() const {
  return is_number_integer() || std::holds_alternative<double>(value_);
}
bool Json::is_number_integer() const {
  return is_number_unsigned() || std::holds_alternative<std::int64_t>(value_);
}
bool Json::is_number_unsigned() const {
  return std::holds_alternative<std::uint64_t>(value_);
}
bool Json::is_string() const {
  return std::holds_alternative<std::string>(value_);
}
bool Json::is_array() const {
  return std::holds_alternative<std::vector<Json>>(value_);
}
bool Json::is_object() const {
  return std::holds_alternative<std::vector<Member>>(value_);
}

const char* Json::type_name() const {
  constexpr const char* kNames[] = {"null", "boolean", "number", "number", "number", "string", "array", "object"};
  return kNames[value_.index()];
}

std::size_t Json::size() const {
  return is_object() ? items().size() : elements().size();
}

const Json& Json::at(std::size_t index) const {
  if (!is_array()) of_type("array", *this);
  const std::span<const Json> list = elements();
  if (index >= list.size()) throw JsonError(fmt::format("array index {} is out of range", index));
  return list[index];
}

void Json::push_back(Json element) {
  if (is_null()) value_ = std::vector<Json>();
  if (!is_array()) of_type("array", *this);
  std::get<std::vector<Json>>(value_).push_back(std::move(element));
}

std::span<const Json::Member> Json::items() const {
  if (!is_object()) of_type("object", *this);
  return std::get<std::vector<Member>>(value_);
}

const Json* Json::find(std::string_view key) const {
  if (!is_object()) return nullptr;
  const auto members = items();
  const auto found = std::ranges::find(members, key, &Member::key);
  return found == members.end() ? nullptr : &found->value;
}

const Json& Json::at(std::string_view key) const {
  if (!is_object()) of_type("object", *this);
  if (const Json* found = find(key)) return *found;
  throw JsonError(fmt::format("key '{}' not found", key));
}

Json Json::value(std::string_view key, Json otherwise) const {
  if (!is_object()) of_type("object", *this);
  const Json* found = find(key);
  return found ? *found : otherwise;
}

Json& Json::operator[](std::string_view key) {
  if (is_null()) value_ = std::vector<Member>();
  if (contains(key)) return at(key);
  if (!is_object()) of_type("object", *this);
  return std::get<std::vector<Member>>(value_).emplace_back(std::string(key)).value;
}

void Json::update(const Json& members) {
  for (const Member& member : members.items()) (*this)[member.key] = member.value;
}

void Json::erase(std::string_view key) {
  if (!is_object()) of_type("object", *this);
  std::erase_if(std::get<std::vector<Member>>(value_), [&](const Member& member) { return member.key == key; });
}

bool operator==(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number()) return JsonText::written(a) == JsonText::written(b);
  return a.value_ == b.value_;
}

std::ostream& operator<<(std::ostream& out, const Json& json) {
  return out << json.dump();
}

void Json::set(bool value) {
  value_ = value;
}
void Json::set(std::int64_t value) {
  value_ = value;
}
void Json::set(std::uint64_t value) {
  value_ = value;
}
void Json::set(double value) {
  if (std::isfinite(value)) value_ = value;  // JSON has no text for others: they are null
}

bool Json::boolean() const {
  if (!is_boolean()) of_type("boolean", *this);
  return std::get<bool>(value_);
}
double Json::real_number() const {
  return number_of<double>(value_, *this);
}
std::int64_t Json::signed_number() const {
  return number_of<std::int64_t>(value_, *this);
}
std::uint64_t Json::unsigned_number() const {
  return number_of<std::uint64_t>(value_, *this);
}
const std::string& Json::text() const {
  if (!is_string()) of_type("string", *this);
  return std::get<std::string>(value_);
}

std::span<const Json> Json::elements() const {
  if (is_null()) return {};
  if (!is_array()) of_type("array", *this);
  return std::get<std::vector<Json>>(value_);
}

std::optional<JsonDifference> json_difference(const Json& left, const Json& right) {
  const auto below = [](const auto& key, const Json& a, const Json& b) {
    std::optional<JsonDifference> found = json_difference(a, b);
    if (found) found->place = found->place.empty() ? fmt::format("{}", key) : fmt::format("{}/{}", key, found->place);
    return found;
  };
  if (left == right) return {};
  if (left.is_object() && right.is_object()) {
    for (const auto& [key, value] : left.items()) {
      const Json* other = right.find(key);
      if (!other) return JsonDifference{key, value, {}};
      if (auto found = below(key, value, *other)) return found;
    }
    for (const auto& [key, value] : right.items())
      if (!left.contains(key)) return JsonDifference{key, {}, value};
    return {};  // the same in another order
  }
  if (left.is_array() && right.is_array()) {
    const std::size_t both = std::min(left.size(), right.size());
    for (std::size_t i = 0; i < both; ++i)
      if (auto found = below(i, left[i], right[i])) return found;
    if (left.size() > both) return JsonDifference{fmt::format("{}", left.size() - 1), left[left.size() - 1], {}};
    if (right.size() > both) return JsonDifference{"-", {}, right[both]};
    return {};
  }
  return JsonDifference{"", left, right};
}

}  // namespace skt
