#include "experiments/files/content_hash.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

namespace skt {
namespace {

// The prime and the start of FNV-1a. Its multiplication carries upwards only: the rotation brings high bits down again,
// so that eight bytes can be taken at a time and a program of 20 MB costs milliseconds.
constexpr std::uint64_t kStart = 0xcbf29ce484222325u, kPrime = 0x100000001b3u;
constexpr int kRotation = 29;

std::uint64_t stirred(std::uint64_t hash, std::uint64_t word) {
  return std::rotl((hash ^ word) * kPrime, kRotation);
}

}  // namespace

std::string content_hash(std::string_view bytes) {
  std::uint64_t hash = stirred(kStart, bytes.size());
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;  // of a last one that is not full the rest stays 0, which the length tells from zeros
    std::memcpy(&word, bytes.data() + at, std::min(sizeof word, bytes.size() - at));
    hash = stirred(hash, word);
  }
  return fmt::format("{:016x}", stirred(hash, hash >> 32));
}

}  // namespace skt
