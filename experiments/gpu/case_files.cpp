#include "experiments/gpu/case_files.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "experiments/files/npy_header.hpp"
#include "experiments/files/result_file.hpp"
#include "experiments/files/staged_files.hpp"
#include "gpu/check/cases/published_profile.hpp"
#include "gpu/check/problems/problem.hpp"
#include "gpu/check/references/scoring_inputs.hpp"
#include "gpu/functors/half_table.hpp"
#include "gpu/functors/packed_codes.hpp"
#include "sim/json.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

using gpu::CheckCase;
using gpu::Problem;

template <class Element>
void write_array(StagedFiles& files, const std::string& name, const char* descr, const std::vector<Index>& shape,
                 const std::vector<Element>& elements) {
  std::ofstream& out = files.add(name + ".npy");
  out << npy_header(descr, shape);
  write_elements(out, elements);
}

void write_array(StagedFiles& files, const std::string& name, const std::vector<Index>& shape,
                 const std::vector<float>& numbers) {
  write_array(files, name, "<f4", shape, numbers);
}

// The used keys of rows of `capacity` keys of `width` elements each.
template <class Element>
std::vector<Element> used(const CheckCase& c, const std::vector<Element>& cache, std::int64_t width) {
  std::vector<Element> kept;
  for (Index at = 0; at < std::ssize(cache); at += c.capacity * width) {
    const auto begin = cache.begin() + at;
    kept.insert(kept.end(), begin, begin + c.keys * width);
  }
  return kept;
}

void write_mask(StagedFiles& files, const CheckCase& c, const Problem& problem) {
  if (problem.allowed.empty()) return;
  const std::vector<Index> shape =
      gpu::mask_per_head(c) ? std::vector<Index>{c.batch, c.heads, c.keys} : std::vector<Index>{c.batch, c.keys};
  write_array(files, "allowed", "|b1", shape, used(c, problem.allowed, 1));
}

// An array of another case, left beside those of this one, would be read as one of them.
void require_no_other_arrays(const CheckCase& c, const Problem& problem, const std::filesystem::path& folder) {
  const bool packed = gpu::scores_packed_codes(c);
  for (const auto& [name, written] : {std::pair{"corners.npy", !problem.corners.empty()},
                                      {"allowed.npy", !problem.allowed.empty()},
                                      {"probabilities.npy", !packed},
                                      {"half_tables.npy", packed},
                                      {"packed.npy", packed}}) {
    std::error_code ignored;
    if (!written && std::filesystem::exists(folder / name, ignored)) {
      refuse("--write-case {}: holds {}, which this case does not have: allowed is a folder without it",
             folder.string(), name);
    }
  }
}

void write_scoring_inputs(StagedFiles& files, const CheckCase& c, const Problem& problem) {
  const gpu::ScoringInputs inputs = gpu::scoring_inputs(c, problem);
  const std::vector<Index> norms = {c.batch, c.kv_heads, c.keys};
  write_array(files, "codes", "<i2", {c.batch, c.kv_heads, c.tables, c.keys}, inputs.codes);
  if (gpu::published_profile(c.profile).norm_type() == SKT_F16) {
    write_array(files, "norms", "<f2", norms, gpu::to_bytes(SKT_F16, inputs.norms));
  } else {  // NumPy has no bf16
    write_array(files, "norms", norms, inputs.norms);
  }
  if (!gpu::scores_packed_codes(c)) {
    write_array(files, "probabilities", {c.batch, c.heads, c.tables, Index{1} << c.planes}, inputs.probabilities);
    return;
  }
  const Index entries = gpu::half_table_entries(c.code_bits());
  write_array(files, "half_tables", {c.batch, c.heads, c.tables, entries}, inputs.half_tables);
  const Index tiles = (c.keys + gpu::kTileKeys - 1) / gpu::kTileKeys;
  const Index words = gpu::words_per_key(c.tables, c.planes);
  write_array(files, "packed", "<u4", {c.batch, c.kv_heads, tiles, words, gpu::kTileKeys},
              gpu::packed_codes(c, inputs));
}

template <class Enum>
  requires std::is_enum_v<Enum>
void read_field(const Json& json, const char* name, Enum& field) {
  field = gpu::value_of_field<Enum>(name, json.get<std::string>());
}
template <class Number>
void read_field(const Json& json, const char*, Number& field) {
  if (std::is_integral_v<Number> ? !json.is_number_integer() : !json.is_number()) {
    throw JsonError("not a number of the kind");
  }
  field = json.get<Number>();
}

}  // namespace

void require_scoring_case(const CheckCase& c, const char* option) {
  const auto refuse_field = [&](const std::string& field, const char* allowed) {
    refuse("{}: the case has {}: allowed {}", option, field, allowed);
  };
  const bool packed = gpu::scores_packed_codes(c);
  if (!packed && c.operation != gpu::Operation::score_buckets) {
    refuse_field(fmt::format("operation={}", name_of(c.operation)), "are score-buckets and score-packed");
  }
  if (c.inputs == gpu::InputKind::huge || c.inputs == gpu::InputKind::non_finite) {
    refuse_field(fmt::format("inputs={}", name_of(c.inputs)), "are inputs whose sums are finite in any order");
  }
  if (!packed) return;
  if (c.shares_lists()) refuse_field("lists=kv-head", "is lists=head");
  if (c.planes < 4) refuse_field(fmt::format("operation=score-packed,planes={}", c.planes), "are 4 to 16");
  if (c.profile != gpu::Profile::paper) {  // fp32 half-tables and fp16 norms
    refuse_field(fmt::format("operation=score-packed,profile={}", name_of(c.profile)),
                 "is paper, or operation=score-buckets");
  }
}

void write_case(const CheckCase& c, const std::string& folder) {
  const Problem problem = gpu::make_problem(c);
  require_no_other_arrays(c, problem, folder);
  StagedFiles files(folder, "--write-case");
  Json json;
  gpu::for_each_field(c, [&](const char* name, const auto& value) { json[name] = gpu::written(value); });
  files.add("case.json") << json.dump(2) << '\n';
  write_array(files, "queries", {c.batch, c.heads, c.dim}, problem.queries);
  write_array(files, "keys", {c.batch, c.kv_heads, c.keys, c.dim}, used(c, problem.keys, c.dim));
  write_array(files, "values", {c.batch, c.kv_heads, c.keys, c.dim}, used(c, problem.values, c.dim));
  write_array(files, "hyperplanes", {c.tables, c.planes, c.dim}, problem.hyperplanes);
  if (!problem.corners.empty()) {
    write_array(files, "corners", {Index{1} << c.planes, c.planes}, problem.corners);
  }
  write_mask(files, c, problem);
  write_scoring_inputs(files, c, problem);
  files.commit();
}

CheckCase read_case(const std::string& path) {
  Json json = Json::parse_or_null(read_file(path));
  if (!json.is_object()) refuse("{}: not a JSON object; allowed is what --write-case writes", path);
  CheckCase c;
  const bool capacity_is_given = json.contains("capacity");
  gpu::for_each_field(c, [&](const char* name, auto& value) {
    const Json* field = json.find(name);
    if (!field) return;
    try {
      read_field(*field, name, value);
    } catch (const JsonError&) {
      refuse("{}: {} is {}: allowed is a {}", path, name, field->dump(),
             std::is_enum_v<std::decay_t<decltype(value)>> ? "string" : "number");
    } catch (const InputError& error) {
      refuse("{}: {}", path, error.what());
    }
    json.erase(name);
  });
  if (!json.empty()) refuse("{}: unknown field '{}'", path, json.items().front().key);
  if (!capacity_is_given) c.fit_capacity();
  try {
    c.require_valid();
  } catch (const InputError& error) {
    refuse("{}: {}", path, error.what());
  }
  return c;
}

}  // namespace skt
