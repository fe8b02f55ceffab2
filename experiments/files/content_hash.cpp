#include "experiments/files/content_hash.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace skt {
namespace {

// The last step of MurmurHash3 (Appleby, fmix64): a bijection of 64 bits in which every bit of the argument moves about
// half of the bits of the result. A plain product moves the high bits only, and two changes could cancel.
std::uint64_t stirred(std::uint64_t hash, std::uint64_t word) {
  hash ^= word;
  hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccdu;
  hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53u;
  return hash ^ hash >> 33;
}

}  // namespace

std::string content_hash(std::string_view bytes) {
  std::uint64_t hash = stirred(1, bytes.size());
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;  // of a last one that is not full the rest stays 0, which the length tells from zeros
    std::memcpy(&word, bytes.data() + at, std::min(sizeof word, bytes.size() - at));
    hash = stirred(hash, word);
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace skt
