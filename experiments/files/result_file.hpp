// How does a result reach the disk? Whole or not at all: it is written under a temporary name beside its place and
// renamed, so that an interrupted or failed run never leaves half a file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace skt {

// Creates the folder (with parents). InputError, naming the option that asked for it, if it cannot be made, is not a
// folder or may not be written to.
void make_folder(const std::filesystem::path& folder, const char* option = "--out");

// InputError, naming the option, unless the folder of this file is there: before work whose outcome it is to hold.
void require_folder_of(const std::filesystem::path& file, const char* option);

// The bytes of a file. InputError naming the path if it cannot be read.
std::string read_file(const std::filesystem::path& path);

// Writes contents to path, whose folder is made where it is missing. InputError naming the path if that fails.
void write_result(const std::filesystem::path& path, std::string_view contents);

}  // namespace skt
