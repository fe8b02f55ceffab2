#include "estimators/peers/page_bounds.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {

PageBounds::PageBounds(const Matrix& keys, Index page) : keys_(keys.rows()), page_(page) {
  if (page < 1) refuse("keys in a page is {}: allowed are 1 and more", page);
  const Index pages = (keys_ + page - 1) / page;
  low_.resize(pages, keys.cols());
  high_.resize(pages, keys.cols());
  for (Index p = 0; p < pages; ++p) {
    const auto members = keys.middleRows(p * page, std::min(page, keys_ - p * page));
    low_.row(p) = members.colwise().minCoeff();
    high_.row(p) = members.colwise().maxCoeff();
  }
}

Vector PageBounds::page_scores(const Vector& query) const {
  return high_ * query.cwiseMax(0.0) + low_ * query.cwiseMin(0.0);
}

Vector PageBounds::scores(const Vector& query) const {
  const Vector of_page = page_scores(query);
  Vector result(keys_);
  for (Index j = 0; j < keys_; ++j) result(j) = of_page(j / page_);
  return result;
}

double PageBounds::bits_per_token() const {
  return 2.0 * 16 * real(low_.cols()) / real(page_);
}

}  // namespace skt
