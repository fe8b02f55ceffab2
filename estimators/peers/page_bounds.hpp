// Which pages of keys could hold a large dot product? Quest (Tang et al., ICML 2024): per page and coordinate the
// smallest and the largest entry are kept; a page's score sum_c max(q_c low_c, q_c high_c) bounds q.k of all its keys.
// Wrong if one key's q.k exceeds its page's score, or a page of one key is not scored by q.k itself.
#pragma once

#include "sim/matrix.hpp"

namespace skt {

class PageBounds {
 public:
  // Pages of `page` successive keys, the last one shorter. InputError unless page >= 1.
  PageBounds(const Matrix& keys, Index page);

  Vector page_scores(const Vector& query) const;  // [pages]
  Vector scores(const Vector& query) const;       // [keys], every key its page's score
  double bits_per_token() const;                  // two half-precision vectors to a page

 private:
  Index keys_ = 0;
  Index page_ = 1;
  Matrix low_;   // [pages, dim]
  Matrix high_;  // [pages, dim]
};

}  // namespace skt
