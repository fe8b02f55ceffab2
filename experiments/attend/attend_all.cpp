#include "experiments/attend/attend_all.hpp"

namespace skt {
namespace {

std::shared_ptr<RuleOfHead> rule_of_head(AttendProblem& problem, const AttendVariant& variant, Index key_head,
                                         const std::function<void()>& step) {
  auto made = std::make_shared<RuleOfHead>(problem.head(key_head));
  const Hyperplanes& drawn = variant.hyperplanes;
  const HashSettings hash{
      .tables = drawn.tables, .planes = drawn.planes, .socket = variant.settings.socket, .bits = variant.settings.bits};
  made->ranking = built_rules({variant.settings.rule}, hash,
                              {made->arrays.keys, made->arrays.values, Matrix(), variant.seed, 0, &drawn})
                      .front();
  for (Index block = 0; block < problem.blocks() / problem.key_heads(); ++block) step();
  return made;
}

std::shared_ptr<const ErrorIndex> error_index_of(AttendProblem& problem, const AttendVariant& variant, Index key_head) {
  HeadArrays arrays = problem.head(key_head);
  const ErrorSettings& error = *variant.settings.error;
  if (error.range == ErrorRange::norms)
    return std::make_shared<const ErrorIndex>(ErrorIndex{std::move(arrays.values), LogitCeilings(arrays.keys)});
  // Rows of their own, independent of the hyperplanes and of those of other key heads.
  LogitCeilings signs(arrays.keys, error.bits, ProjectionRows::orthogonal_blocks, variant.seed,
                      static_cast<std::uint32_t>(key_head));
  return std::make_shared<const ErrorIndex>(ErrorIndex{std::move(arrays.values), std::move(signs)});
}

}  // namespace

Index attend_steps(const AttendProblem& problem, const std::vector<AttendVariant>& variants) {
  return std::ssize(variants) * problem.blocks() + problem.num_queries();
}

void attend_all(AttendProblem& problem, std::vector<AttendVariant>& variants, const AddResults& add,
                const std::function<void()>& step) {
  const Index per_key_head = problem.num_queries() / problem.key_heads();
  for (Index g = 0; g < problem.key_heads(); ++g) {
    for (AttendVariant& variant : variants) {
      if (variant.settings.error) variant.error_index = error_index_of(problem, variant, g);
      if (!variant.settings.rule.empty()) {
        variant.ranked = rule_of_head(problem, variant, g, step);
        continue;
      }
      variant.codes = room_for_codes(variant.hyperplanes, problem.num_keys());
      problem.visit_keys(g, [&](Index first, const Matrix& rows) {
        hash_keys_into(variant.codes, first, variant.hyperplanes, rows);
        step();
      });
    }
    for (Index i = g * per_key_head; i < (g + 1) * per_key_head; ++i) {
      const QueryView view = view_query(problem, i);
      std::vector<QueryResult> results;
      for (const AttendVariant& variant : variants) results.push_back(attend_to(problem, view, variant));
      add(problem.head_of(i), results);
      step();
    }
  }
}

}  // namespace skt
