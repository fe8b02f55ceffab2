// What do two variants choose and answer differently for the same queries?
#pragma once

#include "experiments/attend/query.hpp"
#include "sim/json.hpp"

namespace skt {

class AttendComparison {
 public:
  AttendComparison(const AttendVariant& first, const AttendVariant& second);

  void add(Index head, const QueryResult& first, const QueryResult& second);

  // comparison.json: for each query the keys that both select and that one alone does, their Jaccard index, and the
  // distance of the outputs, also over the first one's length.
  const Json& rows() const { return comparison_; }
  std::string line() const;  // means of all queries

 private:
  Json comparison_;
};

}  // namespace skt
