// Are two long contents the same, told by 16 digits? For contents that differ by accident, as those of two builds of a
// program: nothing here withstands somebody who looks for a second content with the same digits.
#pragma once

#include <string>
#include <string_view>

namespace skt {

// 16 hexadecimal digits, the same on every machine of this byte order.
std::string content_hash(std::string_view bytes);

}  // namespace skt
