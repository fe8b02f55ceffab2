// What the functions from a query to the scores must refuse; refusals.cpp says how.
#include "gpu/check/operations/refusals.hpp"
#include "gpu/check/problems/problem.hpp"

namespace skt::gpu {
namespace {

struct Arrays {
  explicit Arrays(const CheckCase& c)
      : buckets(c.rows() * c.tables << c.planes),
        scores(c.rows() * c.capacity),
        allowed(c.batch * c.capacity),
        lengths(c.batch),
        bad_codes(2) {}

  DeviceArray<float> buckets, scores;
  DeviceArray<std::uint8_t> allowed;
  DeviceArray<std::int32_t> lengths;
  DeviceArray<std::int64_t> bad_codes;
};

void refuse_soft_buckets(const Library& library, const CheckCase& c, DeviceProblem& device, Arrays& arrays,
                         Comparison& result) {
  using Buckets = skt_soft_buckets_args;
  Refusals<Buckets> soft(
      library, &Library::soft_buckets, "skt_soft_buckets",
      {device.queries.data(), device.hyperplanes.data(), arrays.buckets.data(), c.batch, c.heads, c.dim, c.tables,
       c.planes, inverse_sqrt_dim(c), temperature_of(c), c.element_type(), SKT_BUCKETS, SKT_F32, nullptr, nullptr},
      result);
  soft.pointer("queries", &Buckets::queries);
  soft.pointer("hyperplanes", &Buckets::hyperplanes);
  soft.optional_pointer("corners", &Buckets::corners, arrays.buckets.data());
  soft.pointer("probabilities", &Buckets::probabilities);
  soft.optional_pointer("counts", &Buckets::counts, arrays.lengths.data());
  soft.number("planes", &Buckets::planes, 16);
  soft.number("temperature", &Buckets::temperature, 0);
  soft.number("form", &Buckets::form, 3);
  soft.number("probability_type", &Buckets::probability_type, 3);
  soft.refused("fp16 half-tables", [](Buckets& a) {
    a.form = SKT_HALF_TABLES;
    a.probability_type = SKT_F16;
  });
  soft.refused("half-tables of 17 planes", [](Buckets& a) {
    a.form = SKT_HALF_TABLES;
    a.planes = 17;
  });
}

void refuse_score_buckets(const Library& library, const CheckCase& c, DeviceIndex& index, Arrays& arrays,
                          Comparison& result) {
  using Score = skt_score_buckets_args;
  Refusals<Score> score(
      library, &Library::score_buckets, "skt_score_buckets",
      {arrays.buckets.data(), index.codes.data(), index.norms.data(), nullptr, arrays.scores.data(), nullptr, c.batch,
       c.heads, c.kv_heads, c.capacity, c.keys, c.tables, c.planes, 0, SKT_F32, SKT_F16},
      result);
  score.pointer("probabilities", &Score::probabilities);
  score.pointer("codes", &Score::codes);
  score.pointer("norms", &Score::norms);
  score.pointer("scores", &Score::scores);
  score.optional_pointer("allowed", &Score::allowed, arrays.allowed.data());
  score.optional_pointer("bad_codes", &Score::bad_codes, arrays.bad_codes.data());
  score.number("planes", &Score::planes, 16);
  score.number("heads", &Score::heads, c.heads + 1);
  score.number("keys", &Score::keys, c.capacity + 1);
  score.number("norm_type", &Score::norm_type, SKT_F32);
}

void refuse_score_packed(const Library& library, const CheckCase& c, DeviceIndex& index, Arrays& arrays,
                         Comparison& result) {
  using Packed = skt_score_packed_args;
  Refusals<Packed> packed(library, &Library::score_packed, "skt_score_packed",
                          {arrays.buckets.data(),
                           index.packed.data(),
                           index.norms.data(),
                           nullptr,
                           arrays.scores.data(),
                           c.batch,
                           c.heads,
                           c.kv_heads,
                           c.capacity,
                           c.keys,
                           c.tables,
                           c.planes,
                           0,
                           SKT_SOFT_COLLISION,
                           nullptr,
                           nullptr,
                           0,
                           0,
                           0,
                           0,
                           nullptr,
                           0,
                           0,
                           0,
                           0,
                           SKT_F32},
                          result);
  packed.pointer("half_tables", &Packed::half_tables);
  packed.pointer("packed", &Packed::packed);
  packed.pointer("norms", &Packed::norms);
  packed.pointer("scores", &Packed::scores);
  packed.optional_pointer("allowed", &Packed::allowed, arrays.allowed.data());
  packed.number("planes", &Packed::planes, 17);
  packed.number("planes", &Packed::planes, 3);
  packed.number("tables", &Packed::tables, 5000);
  packed.number("query_rows", &Packed::query_rows, 9);
  packed.number("score_type", &Packed::score_type, SKT_F16);
  packed.refused("bf16 scores of soft collisions", [](Packed& a) { a.score_type = SKT_BF16; });
  packed.refused("counted bf16 scores", [&](Packed& a) {
    a.rule = SKT_SIGNED_PROJECTION;
    a.score_type = SKT_BF16;
    a.counts = arrays.lengths.data();
  });
  packed.optional_pointer("lengths", &Packed::lengths, arrays.lengths.data());
  packed.optional_pointer("counts", &Packed::counts, arrays.lengths.data());
  for (const auto field : {&Packed::first, &Packed::used, &Packed::sink, &Packed::window}) {
    packed.refused("counts of a negative place", [&](Packed& a) {
      a.counts = arrays.lengths.data();
      a.*field = -1;
    });
  }
  packed.refused("counts of two query rows", [&](Packed& a) {
    a.counts = arrays.lengths.data();
    a.query_rows = 2;
  });
  refuse_pages(c, packed, arrays.lengths.data());
}

}  // namespace

void refuse_scores(const Library& library, const CheckCase& c, DeviceProblem& device, DeviceIndex& index,
                   Comparison& result) {
  Arrays arrays(c);
  refuse_soft_buckets(library, c, device, arrays, result);
  refuse_score_buckets(library, c, index, arrays, result);
  refuse_score_packed(library, c, index, arrays, result);
  arrays.scores.to_host();  // waits for what the good arguments launched
}

}  // namespace skt::gpu
