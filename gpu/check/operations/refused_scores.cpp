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
  Refusals<Buckets> soft(library, &Library::soft_buckets, "skt_soft_buckets",
                         {.queries = device.queries.data(),
                          .hyperplanes = device.hyperplanes.data(),
                          .probabilities = arrays.buckets.data(),
                          .shape = shape_of(c),
                          .scale = inverse_sqrt_dim(c),
                          .temperature = temperature_of(c),
                          .query_type = c.element_type()},
                         result);
  soft.pointer("queries", &Buckets::queries);
  soft.pointer("hyperplanes", &Buckets::hyperplanes);
  soft.optional_pointer("corners", &Buckets::corners, arrays.buckets.data());
  soft.pointer("probabilities", &Buckets::probabilities);
  soft.optional_pointer("counts", &Buckets::counts, arrays.lengths.data());
  soft.number("planes", &skt_shape::planes, 16);
  soft.number("temperature", &Buckets::temperature, 0);
  soft.number("form", &Buckets::form, 3);
  soft.number("probability_type", &Buckets::probability_type, 3);
  soft.refused("fp16 half-tables", [](Buckets& a) {
    a.form = SKT_HALF_TABLES;
    a.probability_type = SKT_F16;
  });
  soft.refused("half-tables of 17 planes", [](Buckets& a) {
    a.form = SKT_HALF_TABLES;
    a.shape.planes = 17;
  });
}

void refuse_score_buckets(const Library& library, const CheckCase& c, DeviceIndex& index, Arrays& arrays,
                          Comparison& result) {
  using Score = skt_score_buckets_args;
  Refusals<Score> score(library, &Library::score_buckets, "skt_score_buckets",
                        {.probabilities = arrays.buckets.data(),
                         .codes = index.codes.data(),
                         .norms = index.norms.data(),
                         .scores = arrays.scores.data(),
                         .shape = shape_of(c),
                         .used = c.keys,
                         .norm_type = SKT_F16},
                        result);
  score.pointer("probabilities", &Score::probabilities);
  score.pointer("codes", &Score::codes);
  score.pointer("norms", &Score::norms);
  score.pointer("scores", &Score::scores);
  score.optional_pointer("allowed", &skt_mask::allowed, arrays.allowed.data());
  score.optional_pointer("bad_codes", &Score::bad_codes, arrays.bad_codes.data());
  score.number("planes", &skt_shape::planes, 16);
  score.number("heads", &skt_shape::heads, c.heads + 1);
  score.number("used", &Score::used, c.capacity + 1);
  score.number("norm_type", &Score::norm_type, SKT_F32);
}

void refuse_score_packed(const Library& library, const CheckCase& c, DeviceIndex& index, Arrays& arrays,
                         Comparison& result) {
  using Packed = skt_score_packed_args;
  Refusals<Packed> packed(library, &Library::score_packed, "skt_score_packed",
                          {.half_tables = arrays.buckets.data(),
                           .packed = index.packed.data(),
                           .norms = index.norms.data(),
                           .scores = arrays.scores.data(),
                           .shape = shape_of(c),
                           .sequences = {.used = c.keys}},
                          result);
  packed.pointer("half_tables", &Packed::half_tables);
  packed.pointer("packed", &Packed::packed);
  packed.pointer("norms", &Packed::norms);
  packed.pointer("scores", &Packed::scores);
  packed.optional_pointer("allowed", &skt_mask::allowed, arrays.allowed.data());
  packed.number("planes", &skt_shape::planes, 17);
  packed.number("planes", &skt_shape::planes, 3);
  packed.number("tables", &skt_shape::tables, 5000);
  packed.number("query_rows", &skt_shape::query_rows, 9);
  packed.number("score_type", &Packed::score_type, SKT_F16);
  packed.refused("bf16 scores of soft collisions", [](Packed& a) { a.score_type = SKT_BF16; });
  packed.refused("counted bf16 scores", [&](Packed& a) {
    a.rule = SKT_SIGNED_PROJECTION;
    a.score_type = SKT_BF16;
    a.counts = arrays.lengths.data();
  });
  packed.optional_pointer("lengths", &skt_sequences::lengths, arrays.lengths.data());
  packed.optional_pointer("counts", &Packed::counts, arrays.lengths.data());
  const auto refuse_place = [&](auto field) {
    packed.refused("counts of a negative place", [&](Packed& a) {
      a.counts = arrays.lengths.data();
      member_of(a, field) = -1;
    });
  };
  refuse_place(&Packed::first);
  refuse_place(&Packed::whole);
  refuse_place(&skt_list::sink);
  refuse_place(&skt_list::window);
  packed.refused("counts of two query rows", [&](Packed& a) {
    a.counts = arrays.lengths.data();
    a.shape.query_rows = 2;
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
