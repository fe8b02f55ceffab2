#include "experiments/files/content_hash.hpp"

#include <set>

#include "tests/catch.hpp"

using namespace skt;

TEST_CASE("Contents that differ in one bit, in their end or in their length have different hashes", "[unit]") {
  std::set<std::string> hashes{content_hash(""), content_hash("12345678"), content_hash("123456780"),
                               content_hash("23456781")};
  std::size_t expected = 4;
  for (std::size_t zeros = 1; zeros <= 17; ++zeros, ++expected) hashes.insert(content_hash(std::string(zeros, '\0')));
  std::string bytes(20, 'a');
  for (char& byte : bytes) {
    for (int bit = 0; bit < 8; ++bit, ++expected) {
      byte = static_cast<char>(byte ^ (1 << bit));
      hashes.insert(content_hash(bytes));
      byte = static_cast<char>(byte ^ (1 << bit));
    }
  }

  CHECK(hashes.size() == expected);
  CHECK(content_hash(bytes) == content_hash(std::string(20, 'a')));
  for (const std::string& hash : hashes) CHECK(hash.size() == 16);
}
