// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/validation/family.hpp"

namespace ascendsim::validation {

/// Spellings of an operator's name, the likeliest first: without blanks, the library's prefix ("aclnn",
/// "torch"), version ("V2") and suffix ("D"), whole and word by word.
[[nodiscard]] std::vector<std::string> operator_names(const Row& row);
/// True if one of the spellings is one of these.
[[nodiscard]] bool operator_is(const Row& row, std::initializer_list<std::string_view> names);

/// Elements of all tensors of an argument's list; 0 if it is missing.
[[nodiscard]] std::uint64_t elements_of(const Row& row, std::size_t argument);
/// The first tensor, or one axis of the elements the row states; nothing if it says neither.
[[nodiscard]] std::optional<Extents> first_shape(const Row& row);
/// The row's first type among those the vector kernels take; half if it says none.
[[nodiscard]] isa::DataType first_type(const Row& row);
/// Sets the number of cores where the row states one the chip has.
void set_cores(KernelRun& run, const Row& row, const Context& context);
/// An axis that may be negative, of so many.
[[nodiscard]] std::size_t axis_of(std::int64_t axis, std::size_t rank);
[[nodiscard]] std::uint64_t product(const Extents& extents, std::size_t from, std::size_t to);
/// A kernel with the row's cache state and cores.
[[nodiscard]] KernelRun kernel_of(const Row& row, const Context& context, std::string kernel);

/// A kernel of the operator library's tensor compiler: plain intrinsics on addresses known while compiling,
/// so no TPipe is set up before the first copy.
void set_without_pipe(KernelRun& run);
/// Lines of 64 B of an object that holds a TPipe, and with it queues and tiling. Calibrated on SwiGlu,
/// RmsNorm, MoeFinalizeRouting and MoeGatingTopKSoftmax alike, which take 5 to 7 us more than compiled
/// operators, whatever their size.
inline constexpr std::uint32_t pipe_object_lines = 30;

/// A library's kernel whose published source keeps its TPipe in such an object: the compiler can hold none of
/// it in registers
/// ("avoid TPipe within an object" in the vendor's guide to best practice), so that each of the object's
/// lines is fetched. GroupNormSilu and foreach norm, whose sources do the same and whose published order is
/// run, are not charged: they are longer here than measured without it.
void set_pipe_in_object(KernelRun& run);

/// What a core of the operator library's foreach kernels reads before it starts, in bytes: lengths of up to
/// 256 tensors, first and last tensor and offset of up to 50 cores, the size of a buffer
/// (foreach_tiling_def.h of ops-nn). Those that reduce have 1.4 KB more for partial results in today's
/// source; with them NORM-006 would take 25 us for 17 measured.
inline constexpr std::uint32_t foreach_tiling_bytes = 8 + 256 * 8 + 50 * (2 + 2 + 8 + 8);

/// Rows of one kind of operator as runs; nothing if the operator is of another kind.
[[nodiscard]] std::optional<Adapted> composed_case(const Row& row, const Context& context);
[[nodiscard]] std::optional<Adapted> elementwise_case(const Row& row, const Context& context);
[[nodiscard]] std::optional<Adapted> row_case(const Row& row, const Context& context);
[[nodiscard]] std::optional<Adapted> movement_case(const Row& row, const Context& context);
[[nodiscard]] std::optional<Adapted> published_case(const Row& row, const Context& context);
[[nodiscard]] std::optional<Adapted> arranged_case(const Row& row, const Context& context);
[[nodiscard]] std::optional<Adapted> axis_case(const Row& row, const Context& context);
/// True for rotary position embeddings, by the operator's name.
[[nodiscard]] bool is_rotary(const Row& row);
[[nodiscard]] std::optional<Adapted> recurrent_case(const Row& row, const Context& context);
[[nodiscard]] std::optional<Adapted> index_case(const Row& row, const Context& context);
/// Why an operator has no kernel whose name resembles that of another; nothing for the others.
[[nodiscard]] std::optional<Adapted> refused_case(const Row& row);

/// Any operator of the vector units; a reason if none is known by the row's name.
[[nodiscard]] Adapted operator_case(const Row& row, const Context& context);
/// True if the row's name is that of an operator of the kind.
[[nodiscard]] bool is_elementwise(const Row& row);
[[nodiscard]] bool is_row_operator(const Row& row);
[[nodiscard]] bool is_glu(const Row& row);
[[nodiscard]] bool is_movement(const Row& row);
[[nodiscard]] bool is_published(const Row& row);

}  // namespace ascendsim::validation
