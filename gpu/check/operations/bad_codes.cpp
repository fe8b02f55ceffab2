// Does skt_score_buckets, asked to check, count the codes that are no bucket's, name the first, and score as if they
// were not there?
#include <limits>
#include <string>

#include "gpu/check/cases/published_profile.hpp"
#include "gpu/check/device/operations.hpp"
#include "gpu/check/operations/checks.hpp"
#include "sim/number.hpp"

namespace skt::gpu {
namespace {

struct Planted {
  std::int64_t count = 0, first = -1;
};

// Every third code of the cache but the first few is none: below 0, or above the last bucket where a code can be.
Planted plant(const CheckCase& c, std::vector<std::int16_t>& codes) {
  const int above = c.planes < 15 ? 1 << c.planes : -32768;
  Planted planted;
  for (std::int64_t at = 5; at < std::ssize(codes); ++at) {
    const bool used = at % c.capacity < c.keys;
    if (!used || at % 3 != 0) continue;
    codes[at] = static_cast<std::int16_t>(at % 2 == 0 ? -1 : above);
    if (planted.count++ == 0) planted.first = at;
  }
  return planted;
}

// The sum over the tables whose code is a bucket's, in their order.
float sum_of_good_codes(const CheckCase& c, std::span<const float> probabilities, std::span<const std::int16_t> codes) {
  float sum = 0;
  for (std::size_t table = 0; table < codes.size(); ++table) {
    const int code = codes[table];
    if (code < 0 || code >= 1 << c.planes) continue;
    sum += probabilities[(table << c.planes) + code];
  }
  return sum;
}

void compare_message(const CheckCase& c, const Planted& planted, const std::string& message, Comparison& result) {
  result.holds("a message with the number of bad codes", 0,
               message.find(std::to_string(planted.count)) != std::string::npos);
  result.holds("a message with the key of the first", 0,
               message.find(std::to_string(planted.first % c.capacity)) != std::string::npos);
}

}  // namespace

Comparison check_bad_codes(const Library& library, const CheckCase& c) {
  Indexed indexed(library, c);
  auto& [problem, device, index] = indexed;
  std::vector<std::int16_t> codes = index.codes.to_host();
  const std::int32_t type = published_profile(c.profile).probability_type;
  Bytes buckets((c.rows() * c.tables << c.planes) * element_bytes(type));
  soft_buckets(library, c, device, type, buckets);
  DeviceArray<float> scores(c.rows() * c.capacity);
  DeviceArray<std::int64_t> noted(2);
  skt_error error = {};
  Comparison result;
  skt_score_buckets_args args = score_buckets_arguments(c, device, index, buckets, scores);
  args.bad_codes = noted.data();
  const auto score = [&] { return library.score_buckets(&args, nullptr, &error); };
  result.equal("code with good codes", 0, score(), SKT_OK);
  result.equal("good codes counted as bad", 0, real(noted.to_host()[0]), 0);
  const Planted planted = plant(c, codes);
  index.codes.set(codes);
  result.equal("code with bad codes", 0, score(), SKT_BAD_CODES);
  const std::vector<float> got = scores.to_host();
  const std::vector<float> p = from_bytes(type, buckets.to_host());
  const std::vector<float> norms = norms_to_host(c, index.norms);
  const std::vector<std::int64_t> bad = noted.to_host();
  result.equal("bad codes counted", 0, real(bad[0]), real(planted.count));
  result.equal("first bad code", 0, real(bad[1]), real(planted.first));
  compare_message(c, planted, error.message, result);
  for (const std::int64_t row : sampled_rows(c.rows())) {
    for (const std::int64_t key : sampled_keys(c.keys)) {
      const std::int64_t kv_row = row / c.group();
      const float norm = norms[kv_row * c.capacity + key];
      const float sum =
          sum_of_good_codes(c, float_row(p, row, c.tables << c.planes), codes_of_key(c, codes, kv_row, key));
      const bool allowed = is_allowed(c, problem, row, key);
      const double tolerance =
          library.agreement == Agreement::bitwise ? 0 : 1.01 * real(c.tables + 1) * 0x1p-24 * norm * sum;
      result.within("score beside bad codes", row * c.capacity + key, got[row * c.capacity + key],
                    allowed ? double{norm * sum} : -std::numeric_limits<double>::infinity(), tolerance);
    }
  }
  return result;
}

}  // namespace skt::gpu
