#include "experiments/attend/attend_all.hpp"

namespace skt {

Index attend_steps(const AttendProblem& problem, const std::vector<AttendVariant>& variants) {
  return std::ssize(variants) * problem.blocks() + problem.num_queries();
}

void attend_all(AttendProblem& problem, std::vector<AttendVariant>& variants, const AddResults& add,
                const std::function<void()>& step) {
  const Index per_key_head = problem.num_queries() / problem.key_heads();
  for (Index g = 0; g < problem.key_heads(); ++g) {
    for (AttendVariant& variant : variants) {
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
