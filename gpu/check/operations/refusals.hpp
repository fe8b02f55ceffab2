// The wrong variants of a function's arguments, and what must be said to each; refusals.cpp says which.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "gpu/check/cases/check_case.hpp"
#include "gpu/check/device/device_index.hpp"
#include "gpu/check/device/device_problem.hpp"
#include "gpu/check/device/library.hpp"
#include "gpu/check/references/comparison.hpp"

namespace skt::gpu {

template <class Pointer>
Pointer shifted(Pointer pointer, std::intptr_t bytes) {
  return reinterpret_cast<Pointer>(reinterpret_cast<std::intptr_t>(pointer) + bytes);
}

// The member itself, of the arguments or of a struct in them that several functions share.
template <class Arguments, class Struct, class Value>
Value& member_of(Arguments& args, Value Struct::* member) {
  if constexpr (std::is_same_v<Struct, Arguments>) {
    return args.*member;
  } else if constexpr (requires { args.shard; }) {
    return member_of(args.shard, member);
  } else if constexpr (std::is_same_v<Struct, skt_shape>) {
    return args.shape.*member;
  } else if constexpr (std::is_same_v<Struct, skt_sequences>) {
    return args.sequences.*member;
  } else if constexpr (std::is_same_v<Struct, skt_written>) {
    return args.written.*member;
  } else if constexpr (std::is_same_v<Struct, skt_pages>) {
    return args.paged.*member;
  } else if constexpr (std::is_same_v<Struct, skt_mask>) {
    return args.mask.*member;
  } else if constexpr (std::is_same_v<Struct, skt_list>) {
    return args.list.*member;
  } else {
    return args.cache.*member;
  }
}

// The wrong variants of one operation's good arguments.
template <class Arguments>
class Refusals {
 public:
  using Function = int (*)(const Arguments*, CUstream_st*, skt_error*);

  Refusals(const Library& library, Function Library::* function, const char* name, const Arguments& good,
           Comparison& result)
      : call_(library.*function), name_(name), good_(good), result_(result) {
    skt_error error = {};
    const int code = call_(&good_, nullptr, &error);
    // Somebody else's library need not have everything: then there is nothing to refuse.
    supported_ = code != SKT_UNSUPPORTED || library.handle == nullptr;
    if (supported_) result_.holds(name_, 0, code == SKT_OK);
  }

  template <class Change>
  void refused(const char* what, Change&& change) {
    if (!supported_) return;
    Arguments wrong = good_;
    change(wrong);
    skt_error error = {};
    const int code = call_(&wrong, nullptr, &error);
    result_.holds((std::string(name_) + " refuses " + what).c_str(), ++refusals_,
                  code != SKT_OK && error.message[0] != '\0');
  }
  template <class Member>
  void pointer(const char* what, Member member) {
    refused((std::string("a missing ") + what).c_str(), [&](Arguments& a) { member_of(a, member) = nullptr; });
    refused((std::string("a misaligned ") + what).c_str(),
            [&](Arguments& a) { member_of(a, member) = shifted(member_of(a, member), 2); });
  }
  // One that may be missing: `there` is where it could point to.
  template <class Member, class Pointer>
  void optional_pointer(const char* what, Member member, Pointer there) {
    refused((std::string("a misaligned ") + what).c_str(),
            [&](Arguments& a) { member_of(a, member) = shifted(there, 2); });
  }
  template <class Member>
  void number(const char* what, Member member, std::int64_t wrong) {
    using Number = std::remove_reference_t<decltype(member_of(good_, member))>;
    refused((what + (" = " + std::to_string(wrong))).c_str(),
            [&](Arguments& a) { member_of(a, member) = static_cast<Number>(wrong); });
  }

 private:
  Function call_;
  const char* name_;
  Arguments good_;
  Comparison& result_;
  bool supported_ = true;
  std::int64_t refusals_ = 0;
};

// Of a function that reads or writes an index in pages; `there` is where a block table could be.
template <class Arguments>
void refuse_pages(const CheckCase& c, Refusals<Arguments>& function, const std::int32_t* there) {
  const auto with_pages = [&](Arguments& a, std::int64_t page_size, std::int64_t blocks) {
    a.paged = {.block_table = there, .blocks = blocks, .pages = c.batch * c.capacity, .page_size = page_size};
  };
  function.refused("pages of 32 keys", [&](Arguments& a) { with_pages(a, 32, c.capacity); });
  function.refused("pages of 192 keys", [&](Arguments& a) { with_pages(a, 192, c.capacity); });
  function.refused("too few blocks", [&](Arguments& a) { with_pages(a, 64, (c.capacity + 63) / 64 - 1); });
  function.refused("a misaligned block_table", [&](Arguments& a) {
    with_pages(a, 64, c.capacity);
    a.paged.block_table = shifted(there, 2);
  });
}

// Of the functions that build an index, score keys, select and attend, and of the whole step.
void refuse_index_building(const Library& library, const CheckCase& c, DeviceProblem& device, DeviceIndex& index,
                           Comparison& result);
void refuse_scores(const Library& library, const CheckCase& c, DeviceProblem& device, DeviceIndex& index,
                   Comparison& result);
void refuse_selection(const Library& library, const CheckCase& c, DeviceProblem& device, Comparison& result);
void refuse_shards(const Library& library, const CheckCase& c, Comparison& result);

}  // namespace skt::gpu
