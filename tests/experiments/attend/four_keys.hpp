// Attention that can be worked out by hand: one query, four keys of softmax masses 1/10, 2/10, 3/10 and 4/10.
//
// dim = value_dim = 1. The query is 1 and key j is 1 + ln(j + 1), so that logit j is that too. The values are 5, 1, -2
// and 3: dense attention gives (1*5 + 2*1 - 3*2 + 4*3)/10 = 1.3. The one hyperplane is 1: every key lies on the query's
// side of it, so that hard LSH gives each key the score ||v||, and the keys rank 0, 3, 2, 1.
#pragma once

#include <cmath>

#include "estimators/key_codes.hpp"
#include "experiments/attend/problem.hpp"
#include "experiments/attend/query.hpp"
#include "experiments/attend/request.hpp"
#include "tests/experiments/array_file.hpp"
#include "tests/experiments/temporary_folder.hpp"

namespace skt {

class FourKeys {
 public:
  FourKeys() {
    write("queries", {1, 1}, {1});
    write("keys", {4, 1}, {1, 1 + std::log(2.0), 1 + std::log(3.0), 1 + std::log(4.0)});
    write("values", {4, 1}, {5, 1, -2, 3});
    write("hyperplanes", {1, 1, 1}, {1});
  }

  // Another array in place of one of the four, or a mask.
  void write(const std::string& name, const std::vector<Index>& shape, const std::vector<double>& elements,
             ElementType type = ElementType::f64) {
    if (type == ElementType::boolean)
      write_array(at(name), type, shape, std::vector<std::uint8_t>(elements.begin(), elements.end()));
    else
      write_array(at(name), type, shape, elements);
  }

  const std::filesystem::path& folder() const { return folder_.path; }
  std::filesystem::path at(const std::string& name) const { return folder_.path / (name + ".npy"); }

  AttendFiles files() const {
    AttendFiles files;
    files.queries = at("queries").string();
    files.keys = at("keys").string();
    files.values = at("values").string();
    files.hyperplanes = at("hyperplanes").string();
    if (std::filesystem::exists(at("mask"))) files.mask = at("mask").string();
    return files;
  }

  // Hard LSH with a budget of two keys.
  AttendRequest request() const {
    AttendRequest request;
    request.files = files();
    request.budget = "2";
    request.settings.ranker = Ranker::hard_lsh;
    return request;
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace skt
