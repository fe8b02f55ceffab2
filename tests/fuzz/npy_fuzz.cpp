// libFuzzer target: a .npy file of any bytes is read or refused in one line.
#include "experiments/files/npy_header.hpp"
#include "tests/fuzz/accepted_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  skt::only_input_errors([&] {
    const skt::TensorLayout layout = skt::parse_npy_header(bytes, "fuzz.npy");
    if (layout.data_offset > size) std::abort();
    skt::data_bytes(layout, "fuzz.npy");
    skt::read_accepted_file(bytes, ".npy", "");
  });
  return 0;
}
