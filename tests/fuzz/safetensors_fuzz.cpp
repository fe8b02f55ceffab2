// libFuzzer target: a .safetensors file of any bytes is read or refused in one line.
#include "experiments/files/safetensors_header.hpp"
#include "tests/fuzz/accepted_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  skt::only_input_errors([&] {
    const std::uint64_t head = skt::safetensors_head_bytes(bytes.substr(0, 8), size, "fuzz.safetensors");
    if (head > size) std::abort();
    for (const auto& [name, stored] : skt::parse_safetensors_header(bytes.substr(0, head), size, "fuzz.safetensors")) {
      if (stored.layout && stored.layout->data_offset > size) std::abort();
      skt::read_accepted_file(bytes, ".safetensors", name);
    }
  });
  return 0;
}
