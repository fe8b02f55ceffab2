#include "experiments/gpu/candidate_scores.hpp"

#include <cstring>
#include <vector>

#include "experiments/files/npy_header.hpp"
#include "experiments/files/result_file.hpp"
#include "gpu/functors/half_table.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

double element(ElementType type, const char* at) {
  if (type == ElementType::f16) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, at, sizeof bits);
    return gpu::half_from_bits(bits);
  }
  if (type == ElementType::f32) {
    float x = 0;
    std::memcpy(&x, at, sizeof x);
    return x;
  }
  double x = 0;
  std::memcpy(&x, at, sizeof x);
  return x;
}

}  // namespace

gpu::Comparison check_candidate_scores(const gpu::CheckCase& c, gpu::ScoredFrom from, const std::string& path) {
  const std::string bytes = read_file(path);
  const TensorLayout header = parse_npy_header(std::string_view(bytes).substr(0, kNpyHeaderLimit), path);
  const std::vector<Index> shape = {c.batch, c.heads, c.keys};
  if (!is_floating(header.type) || header.type == ElementType::bf16 || header.shape != shape) {
    refuse("{}: is {}: allowed is float16, float32 or float64 {}", path, describe(header), bracketed(shape));
  }
  if (header.order == ElementOrder::fortran)
    refuse("{}: in Fortran order; allowed is C order (numpy.ascontiguousarray)", path);
  const Index size = size_of(header.type), count = c.batch * c.heads * c.keys;
  const Index held = bytes.size() - header.data_offset;
  if (held != count * size) refuse("{}: has {} bytes of data, its header announces {}", path, held, count * size);
  std::vector<double> scores;
  for (Index i = 0; i < count; ++i) {
    scores.push_back(element(header.type, bytes.data() + header.data_offset + i * size));
  }
  return gpu::compare_scores(c, from, scores);
}

}  // namespace skt
