// A header of a folder that is named with -I.
#pragma once
#include <cstdio>

#include "socketlab_gpu.h"

inline int answer(int code, skt_error* error, const char* message) {
  if (error != nullptr) std::snprintf(error->message, sizeof error->message, "%s", message);
  return code;
}
