// How does the suite hold a JSON value?
//
// As null, a boolean, a whole number of 64 bits, a double, text, an array, or an object whose members keep their order.
// nlohmann-json reads and writes the text, in json.cpp alone: a source that included it would take two seconds longer
// to compile. Braces make an object where each element is a pair that begins with text, else an array.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace skt {

// Text that is not JSON, a member or an element that there is not, or a value of another type than is asked for.
class JsonError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Json {
  template <class T>
  static constexpr bool is_value = std::is_arithmetic_v<T> && !std::same_as<T, char>;

 public:
  struct Member;

  Json() noexcept;
  Json(std::nullptr_t) noexcept : Json() {}
  template <class T>
    requires is_value<T>
  Json(T value) : Json() {
    if constexpr (std::same_as<T, bool>)
      set(value);
    else if constexpr (std::is_floating_point_v<T>)
      set(double{value});
    else if constexpr (std::is_unsigned_v<T>)
      set(std::uint64_t{value});
    else
      set(std::int64_t{value});
  }
  Json(const char* text) : Json(std::string(text)) {}
  Json(std::string_view text) : Json(std::string(text)) {}
  Json(std::string text) noexcept;
  template <class T>
  Json(const std::vector<T>& list) : Json(array()) {
    for (const T& element : list) push_back(element);
  }
  Json(std::initializer_list<Json> list);
  Json(const Json&);
  Json(Json&&) noexcept;
  Json& operator=(const Json&);
  Json& operator=(Json&&) noexcept;
  ~Json();

  static Json array(std::initializer_list<Json> elements = {});
  static Json object();
  static Json parse(std::string_view text);
  static Json parse_or_null(std::string_view text);
  // In one line; or with so many spaces for each level.
  std::string dump(int indent = -1) const;

  bool is_null() const;
  bool is_boolean() const;
  bool is_number() const;
  bool is_number_integer() const;
  bool is_number_unsigned() const;  // as parse makes of every whole number from 0
  bool is_string() const;
  bool is_array() const;
  bool is_object() const;
  const char* type_name() const;  // "null", "boolean", "number", "string", "array" or "object"

  // Any number as any other, as a cast has it.
  template <class T>
  T get() const {
    if constexpr (std::same_as<T, bool>)
      return boolean();
    else if constexpr (std::same_as<T, std::string>)
      return text();
    else if constexpr (std::is_floating_point_v<T>)
      return static_cast<T>(real_number());
    else if constexpr (std::is_unsigned_v<T>)
      return static_cast<T>(unsigned_number());
    else if constexpr (std::is_integral_v<T>)
      return static_cast<T>(signed_number());
    else {
      T list;
      for (const Json& element : elements()) list.push_back(element.get<typename T::value_type>());
      return list;
    }
  }
  template <class T>
    requires is_value<T> || std::same_as<T, std::string> || std::same_as<T, std::vector<double>> ||
             std::same_as<T, std::vector<std::string>>
  operator T() const {
    return get<T>();
  }

  // Of an array or an object; null has none.
  std::size_t size() const;
  bool empty() const { return size() == 0; }

  // Elements of an array; null has none.
  const Json* begin() const { return elements().data(); }
  const Json* end() const { return begin() + elements().size(); }
  const Json& at(std::size_t index) const;
  Json& at(std::size_t index) { return const_cast<Json&>(std::as_const(*this).at(index)); }
  template <std::integral I>
  const Json& operator[](I index) const {
    return at(static_cast<std::size_t>(index));
  }
  template <std::integral I>
  Json& operator[](I index) {
    return at(static_cast<std::size_t>(index));
  }
  const Json& front() const { return at(std::size_t{0}); }
  void push_back(Json element);  // null becomes an array

  // Members of an object.
  std::span<const Member> items() const;
  bool contains(std::string_view key) const { return find(key) != nullptr; }
  const Json* find(std::string_view key) const;  // null where there is none, also in what is no object
  const Json& at(std::string_view key) const;
  Json& at(std::string_view key) { return const_cast<Json&>(std::as_const(*this).at(key)); }
  Json value(std::string_view key, Json otherwise) const;
  const Json& operator[](std::string_view key) const { return at(key); }
  const Json& operator[](const char* key) const { return at(key); }
  Json& operator[](std::string_view key);  // adds a null; null becomes an object
  Json& operator[](const char* key) { return (*this)[std::string_view(key)]; }
  void update(const Json& members);
  void erase(std::string_view key);

  // Numbers by value, objects with the order of their members.
  friend bool operator==(const Json& a, const Json& b);
  template <class T>
    requires is_value<T>
  friend bool operator==(const Json& a, T b) {
    return a == Json(b);
  }
  friend std::ostream& operator<<(std::ostream& out, const Json& json);

 private:
  friend struct JsonText;
  void set(bool value);
  void set(std::int64_t value);
  void set(std::uint64_t value);
  void set(double value);
  bool boolean() const;
  double real_number() const;
  std::int64_t signed_number() const;
  std::uint64_t unsigned_number() const;
  const std::string& text() const;
  std::span<const Json> elements() const;

  std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, std::vector<Json>,
               std::vector<Member>>
      value_;
};

struct Json::Member {
  std::string key;
  Json value{};
  bool operator==(const Member&) const = default;
};

// The first place, as "mutants/0/name", where two values differ, and what stands there in each, if anything does.
struct JsonDifference {
  std::string place;
  std::optional<Json> left, right;
};
std::optional<JsonDifference> json_difference(const Json& left, const Json& right);

}  // namespace skt
