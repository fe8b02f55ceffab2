#include "experiments/files/npy_header.hpp"

#include "sim/require.hpp"
#include "tests/catch.hpp"
#include "tests/experiments/refusal.hpp"
#include "tests/normal_draws.hpp"

using namespace skt;

namespace {

// A file's start: magic, version, length of `dictionary` and the dictionary itself.
std::string start_with(const std::string& dictionary, char major = 1) {
  std::string start = "\x93NUMPY";
  start += major;
  start += '\0';
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) start += static_cast<char>(dictionary.size() >> (8 * i) & 255);
  return start + dictionary;
}

std::string dictionary(const std::string& descr, const std::string& shape, const std::string& order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

// The message with which the start is refused; empty if it is not.
std::string refusal_of_start(const std::string& start) {
  return refusal<InputError>([&] { parse_npy_header(start, "f.npy"); });
}

}  // namespace

TEST_CASE("A header is as long as is read of a file, and no longer", "[unit]") {
  std::string header = dictionary("<f4", "(2,)");
  header.insert(header.size() - 1, kNpyHeaderLimit - 10 - header.size(), ' ');
  CHECK(refusal_of_start(start_with(header)).empty());

  header.insert(header.size() - 1, 1, ' ');
  CHECK(refusal_of_start(start_with(header)).find("allowed are up to 65526") != std::string::npos);
}

TEST_CASE("A written header reads back, and starts its elements at a multiple of 64 bytes", "[unit]") {
  for (const ElementType type :
       {ElementType::f16, ElementType::f32, ElementType::f64, ElementType::i64, ElementType::boolean}) {
    for (const std::vector<Index>& shape : {std::vector<Index>{}, {7}, {0, 3}, {1, 2, 3}, {Index{1} << 62}}) {
      const std::string written = npy_header(type, shape);
      const TensorLayout read = parse_npy_header(written, "f.npy");
      CHECK(read.type == type);
      CHECK(read.shape == shape);
      CHECK(read.data_offset == written.size());
      CHECK(written.size() % 64 == 0);
      CHECK(written.back() == '\n');
    }
  }
}

TEST_CASE("Headers as other writers may put them are read", "[unit]") {
  const std::string reordered = "{\"shape\":(4,5),'fortran_order':False , 'descr':\"<f4\"}";
  for (const char major : {'\1', '\2', '\3'}) {
    const TensorLayout header = parse_npy_header(start_with(reordered, major) + "elements", "f.npy");
    CHECK(describe(header) == "float32 [4, 5]");
    CHECK(header.data_offset == start_with(reordered, major).size());
  }
}

TEST_CASE("The order of the elements is read", "[unit]") {
  CHECK(parse_npy_header(start_with(dictionary("<f8", "(2, 3)", "False")), "f.npy").order == ElementOrder::c);
  CHECK(parse_npy_header(start_with(dictionary("<f8", "(2, 3)", "True")), "f.npy").order == ElementOrder::fortran);
}

TEST_CASE("Each broken header is refused in one line that names the file", "[unit]") {
  const std::string good = dictionary("<f8", "(2, 3)");
  const std::vector<std::string> broken = {
      "",
      "\x93NUM",
      "PK\x03\x04 an .npz",
      "\x93NUMPY",
      std::string("\x93NUMPY\x01\x00", 8),
      start_with(good, 4),
      start_with(good).substr(0, 40),
      start_with(dictionary(">f8", "(2, 3)")),
      start_with(dictionary("|O", "(2,)")),
      start_with(dictionary("<c16", "(2,)")),
      start_with(dictionary("<f8\n", "(2,)")),
      start_with("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,), }"),
      start_with(dictionary("<f8", "(2, 3)", "1")),
      start_with(dictionary("<f8", "(2)")),
      start_with(dictionary("<f8", "(-2,)")),
      start_with(dictionary("<f8", "(2 3)")),
      start_with(dictionary("<f8", "[2, 3]")),
      start_with(dictionary("<f8", "(,)")),
      start_with(dictionary("<f8", "(99999999999999999999,)")),
      start_with("{'descr': '<f8', 'fortran_order': False, }"),
      start_with("{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (2,), }"),
      start_with("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), 'more': 1}"),
      start_with("{'descr': '<f8', 'fortran_order': False, 'shape': (2,)} {}"),
      start_with("{'descr': '<f8"),
      start_with("{"),
      start_with(""),
      std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12) + good,
  };
  for (const std::string& start : broken) {
    const std::string message = refusal_of_start(start);
    INFO(message);
    CHECK(message.starts_with("f.npy: "));
    CHECK(message.find('\n') == std::string::npos);
  }
}

TEST_CASE("No change of a few bytes makes the header reader fail otherwise than by refusing", "[unit]") {
  const std::string good = npy_header(ElementType::f32, {12, 128});
  for (std::uint32_t trial = 0; trial < 20000; ++trial) {
    std::string changed = good;
    const auto words = random_words(Seed{5}, {Role::test_draw, trial});
    for (const std::uint32_t word : {words[0], words[1], words[2]})
      changed[6 + (word >> 8) % (good.size() - 6)] = static_cast<char>(word & 255);
    changed.resize(words[3] % 4 == 0 ? (words[3] >> 8) % good.size() : good.size());
    try {
      const TensorLayout header = parse_npy_header(changed, "f.npy");
      REQUIRE(header.data_offset <= changed.size());
      for (const Index size : header.shape) REQUIRE(size >= 0);
    } catch (const InputError&) {
      SUCCEED("refused");
    }
  }
}
