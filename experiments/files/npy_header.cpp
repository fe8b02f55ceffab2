#include "experiments/files/npy_header.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>

#include "sim/require.hpp"

namespace skt {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::string_view kAllowedTypes = "allowed are little-endian float16, float32, float64, int64 and bool";

// The header is a Python dictionary of the keys descr, fortran_order and shape, each once, in any order.
class DictionaryReader {
 public:
  DictionaryReader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  void read_into(TensorLayout& header) {
    std::set<std::string> keys;
    expect('{');
    while (!take('}')) {
      const std::string key = quoted();
      expect(':');
      if (!keys.insert(key).second) fail(fmt::format("unexpected key '{}'", key));
      read_value(key, header);
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (at_ != text_.size()) fail("text after the dictionary");
    if (keys.size() != 3) fail("descr, fortran_order or shape is missing");
  }

 private:
  void read_value(const std::string& key, TensorLayout& header) {
    if (key == "descr") {
      header.type = type();
    } else if (key == "fortran_order") {
      header.order = order();
    } else if (key == "shape") {
      header.shape = tuple();
    } else {
      fail(fmt::format("unexpected key '{}'", key));
    }
  }

  [[noreturn]] void fail(const std::string& what) const {
    refuse("{}: broken .npy header ({}); allowed are files written by numpy.save", name_, what);
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  bool take(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!take(c)) fail(fmt::format("'{}' is missing", c));
  }

  bool take_word(std::string_view word) {
    skip_space();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  std::string quoted() {
    const char quote = take('"') ? '"' : '\'';
    if (quote == '\'') expect('\'');
    const std::size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos) fail("a text does not end");
    const std::string inside(text_.substr(at_, end - at_));
    at_ = end + 1;
    for (const char c : inside)
      if (c < ' ' || c > '~') fail("a text is not printable");
    return inside;
  }

  ElementType type() {
    if (take('[')) refuse("{}: a structured array; {}", name_, kAllowedTypes);
    static const std::map<std::string, ElementType> kTypes = {{"<f2", ElementType::f16},
                                                              {"<f4", ElementType::f32},
                                                              {"<f8", ElementType::f64},
                                                              {"<i8", ElementType::i64},
                                                              {"|b1", ElementType::boolean}};
    const std::string descr = quoted();
    const auto found = kTypes.find(descr);
    if (found != kTypes.end()) return found->second;
    const char* reason = descr.starts_with('>') ? "big-endian" : descr.starts_with("|O") ? "Python objects" : "type";
    refuse("{}: {} '{}'; {}", name_, reason, descr, kAllowedTypes);
  }

  ElementOrder order() {
    if (take_word("False")) return ElementOrder::c;
    if (!take_word("True")) fail("fortran_order is neither True nor False");
    return ElementOrder::fortran;
  }

  std::vector<Index> tuple() {
    std::vector<Index> sizes;
    expect('(');
    while (!take(')')) {
      sizes.push_back(integer());
      if (take(',')) continue;
      expect(')');
      if (sizes.size() == 1) fail("the shape is not a tuple");
      break;
    }
    return sizes;
  }

  Index integer() {
    skip_space();
    const std::size_t start = at_;
    Index value = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_)
      if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, text_[at_] - '0', &value))
        fail("a dimension is too large");
    if (at_ == start) fail("a dimension is not a number");
    return value;
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
};

}  // namespace

TensorLayout parse_npy_header(std::string_view start, const std::string& name) {
  if (start.empty()) refuse("{}: an empty file; allowed are .npy files", name);
  if (!start.starts_with(kMagic)) refuse("{}: not a .npy file (its first bytes differ)", name);
  const std::string truncated = fmt::format("{}: truncated within its .npy header", name);
  if (start.size() < 8) refuse("{}", truncated);
  const std::uint8_t major = start[6], minor = start[7];
  if (major < 1 || major > 3 || minor != 0)
    refuse("{}: .npy version {}.{}; allowed are 1.0, 2.0 and 3.0", name, major, minor);
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const std::size_t before = 8 + length_bytes;
  if (start.size() < before) refuse("{}", truncated);
  const std::uint64_t length = little_endian(start.substr(8, length_bytes));
  if (length > kNpyHeaderLimit - before)
    refuse("{}: its .npy header has {} bytes; allowed are up to {}", name, length, kNpyHeaderLimit - before);
  if (start.size() - before < length) refuse("{}", truncated);
  TensorLayout header;
  header.data_offset = before + length;
  DictionaryReader(start.substr(before, length), name).read_into(header);
  return header;
}

std::string npy_header(ElementType type, const std::vector<Index>& shape) {
  const char* descr = type == ElementType::f16   ? "<f2"
                      : type == ElementType::f32 ? "<f4"
                      : type == ElementType::f64 ? "<f8"
                      : type == ElementType::i64 ? "<i8"
                                                 : "|b1";
  return npy_header(descr, shape);
}

std::string npy_header(const char* descr, const std::vector<Index>& shape) {
  std::string dictionary = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", descr,
                                       fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  constexpr std::size_t kBefore = 10;  // magic, version and length
  dictionary.append(63 - (kBefore + dictionary.size()) % 64, ' ');
  dictionary += '\n';
  const std::size_t length = dictionary.size();
  const std::string version_and_length{'\1', '\0', static_cast<char>(length & 255), static_cast<char>(length >> 8)};
  return std::string(kMagic) + version_and_length + dictionary;
}

}  // namespace skt
