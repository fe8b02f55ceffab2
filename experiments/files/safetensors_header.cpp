#include "experiments/files/safetensors_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "sim/require.hpp"

namespace skt {
namespace {

using Text = nlohmann::json;

constexpr std::uint64_t kLengthBytes = 8;

[[noreturn]] void fail(const std::string& name, const std::string& what) {
  refuse("{}: broken .safetensors header ({}); allowed are files written by safetensors", name, what);
}

// nlohmann-json keeps the last of two equal keys in silence, and nests without limit.
class StrictShape {
 public:
  explicit StrictShape(const std::string& name) : name_(name) {}

  bool operator()(int, Text::parse_event_t event, Text& parsed) {
    using Event = Text::parse_event_t;
    constexpr int kDeepest = 3;  // header, tensor, list
    if (event == Event::object_start || event == Event::array_start) {
      keys_.emplace_back();
      if (std::ssize(keys_) > kDeepest) fail(name_, "nested too deeply");
    } else if (event == Event::object_end || event == Event::array_end) {
      keys_.pop_back();
    } else if (event == Event::key && !keys_.back().insert(parsed.get<std::string>()).second) {
      fail(name_, fmt::format("'{}' appears twice", printable(parsed.get<std::string>())));
    }
    return true;
  }

 private:
  const std::string& name_;
  std::vector<std::set<std::string>> keys_;
};

Text parse_object(std::string_view text, const std::string& name) {
  if (!text.starts_with('{')) fail(name, "it does not start with '{'");
  Text parsed;
  try {
    parsed = Text::parse(text.begin(), text.end(), StrictShape(name));
  } catch (const Text::exception&) {
    fail(name, "not a JSON object in UTF-8");
  }
  return parsed;
}

std::optional<ElementType> type_of(const std::string& dtype) {
  static const std::map<std::string, ElementType> kTypes = {{"F16", ElementType::f16}, {"BF16", ElementType::bf16},
                                                            {"F32", ElementType::f32}, {"F64", ElementType::f64},
                                                            {"I64", ElementType::i64}, {"BOOL", ElementType::boolean}};
  const auto found = kTypes.find(dtype);
  return found == kTypes.end() ? std::nullopt : std::optional(found->second);
}

struct Extent {
  std::uint64_t begin = 0, end = 0;  // of the elements, in bytes after the header
  std::string tensor;
};

class HeaderReader {
 public:
  HeaderReader(const std::string& name, std::uint64_t data_start) : name_(name), data_start_(data_start) {}

  StoredTensor read(const std::string& tensor, const Text& entry) {
    const std::string where = printable(tensor);
    if (!entry.is_object() || entry.size() != 3 || !entry.contains("dtype") || !entry.contains("shape") ||
        !entry.contains("data_offsets") || !entry["dtype"].is_string())
      fail(name_, fmt::format("'{}' is not dtype, shape and data_offsets", where));
    const std::vector<std::uint64_t> offsets = numbers(entry["data_offsets"], where);
    if (offsets.size() != 2 || offsets[0] > offsets[1])
      fail(name_, fmt::format("the data_offsets of '{}' are not begin and end", where));
    extents_.push_back({offsets[0], offsets[1], where});

    StoredTensor stored{printable(entry["dtype"].get<std::string>()), std::nullopt};
    TensorLayout layout;
    for (const std::uint64_t size : numbers(entry["shape"], where)) layout.shape.push_back(size);
    const std::optional<ElementType> type = type_of(stored.dtype);
    if (!type) return stored;
    layout.type = *type;
    layout.data_offset = data_start_ + offsets[0];
    const bool empty = std::count(layout.shape.begin(), layout.shape.end(), 0) > 0;
    const std::uint64_t bytes = empty ? 0 : data_bytes(layout, name_ + ":" + where);
    if (bytes != offsets[1] - offsets[0])
      fail(name_, fmt::format("'{}' is {} in {} bytes", where, describe(layout), offsets[1] - offsets[0]));
    stored.layout = layout;
    return stored;
  }

  // The tensors lie end to end and fill the file.
  void check_cover(std::uint64_t held) {
    std::sort(extents_.begin(), extents_.end(),
              [](const Extent& a, const Extent& b) { return std::pair(a.begin, a.end) < std::pair(b.begin, b.end); });
    std::uint64_t at = 0;
    for (const Extent& extent : extents_) {
      if (extent.begin != at) fail(name_, fmt::format("a gap or an overlap before '{}'", extent.tensor));
      at = extent.end;
    }
    if (held != at)
      refuse("{}: {}, {} bytes of elements for {} announced", name_, held < at ? "truncated" : "more than its tensors",
             held, at);
  }

 private:
  std::vector<std::uint64_t> numbers(const Text& list, const std::string& where) const {
    std::vector<std::uint64_t> result;
    bool good = list.is_array();
    for (const Text& x : good ? list : Text::array()) {
      good = good && x.is_number_unsigned() && x.get<std::uint64_t>() <= std::uint64_t{INT64_MAX};
      result.push_back(good ? x.get<std::uint64_t>() : 0);
    }
    if (!good)
      fail(name_, fmt::format("shape or data_offsets of '{}' contain something other than numbers from 0", where));
    return result;
  }

  const std::string& name_;
  std::uint64_t data_start_;
  std::vector<Extent> extents_;
};

}  // namespace

std::string printable(const std::string& text) {
  constexpr std::size_t kShown = 80;
  std::string shown;
  for (const char c : text.substr(0, kShown)) shown += c >= ' ' && c <= '~' ? c : '?';
  return text.size() > kShown ? shown + ".." : shown;
}

std::uint64_t safetensors_head_bytes(std::string_view start, std::uint64_t file_bytes, const std::string& name) {
  if (file_bytes == 0) refuse("{}: an empty file; allowed are .safetensors files", name);
  const std::string truncated = fmt::format("{}: truncated within its .safetensors header", name);
  if (start.size() < kLengthBytes) refuse("{}", truncated);
  const std::uint64_t length = little_endian(start.substr(0, kLengthBytes));
  if (length > kSafetensorsHeaderLimit)
    refuse("{}: not a .safetensors file (its header would have {} bytes; allowed are up to {})", name, length,
           kSafetensorsHeaderLimit);
  if (length > file_bytes - kLengthBytes) refuse("{}", truncated);
  return kLengthBytes + length;
}

std::map<std::string, StoredTensor> parse_safetensors_header(std::string_view head, std::uint64_t file_bytes,
                                                             const std::string& name) {
  const Text object = parse_object(head.substr(kLengthBytes), name);
  HeaderReader reader(name, head.size());
  std::map<std::string, StoredTensor> tensors;
  for (const auto& [tensor, entry] : object.items())
    if (tensor != "__metadata__") tensors.emplace(tensor, reader.read(tensor, entry));
  reader.check_cover(file_bytes - head.size());
  return tensors;
}

}  // namespace skt
