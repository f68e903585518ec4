// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/validation/measurement.hpp"
#include "models/port/data_type.hpp"
#include "sim/base/lower_case.hpp"

namespace ascendsim::validation {

using Extents = std::vector<std::uint64_t>;

/// A tensor of a shape column; one that is left out ("-") has no extents and is not `given`.
struct TensorShape {
    Extents extents;
    bool given = true;

    [[nodiscard]] std::uint64_t elements() const;
};

/// What a shape column says, whatever its way of saying it:
///     M8192 N4096 K1024 · m=1, n=2 · 4096x1536; 12288x1536 · [2048x2048, 2048x2048]; [16] · x[8,16] w[8,4]
///     30000 elem · ~99.9M elem · 1,048,576 elem · 4800x1024 k1000 · B1 H1 Sq4K Skv4096 D512+64
///     16x64x256x256 8 groups · scalar · 4x8 + same · 128x256 x 256x64 · 8 x 16
struct ShapeText {
    /// Arguments in order, parted by ';'; an argument may be a list of tensors.
    std::vector<std::vector<TensorShape>> arguments;
    /// Letters before a number, in lower case: "m" → 8192, "skv" → 4096; and words after one: "groups" → 8,
    /// "elem" → 30000. What is added to one has a plus: D512+64 is "d" → 512, "d+" → 64.
    std::map<std::string, std::uint64_t> named;
    /// Extents of results, where they are stated: behind "->", or in the notes behind "out".
    std::vector<Extents> outputs;
    /// Pieces of the text that are none of this. A row with such a piece is not run.
    std::vector<std::string> unread;
    /// What was read into it: "'~99.9M elem' is taken as 99900000"; empty if nothing was.
    std::string assumed;
    /// Names that were asked for. One that no kernel takes ("12 tensors") is as bad as one that is not read.
    mutable std::set<std::string, std::less<>> asked;

    /// Tensor `argument` if it is there, given and alone or the first of its list.
    [[nodiscard]] const Extents* tensor(std::size_t argument) const;
    [[nodiscard]] std::optional<std::uint64_t> get(std::string_view name) const;
    /// Elements of the first tensor, or the number before "elem".
    [[nodiscard]] std::optional<std::uint64_t> elements() const;
    /// Why a run that was made of this may not be what was measured: a piece that was not read, or a name
    /// that nobody asked for. Empty if all was used.
    [[nodiscard]] std::string not_understood() const;
};

/// Reads a column of shapes. What it does not know is kept in `unread`; nothing is an error.
[[nodiscard]] ShapeText parse_shape(std::string_view text);

/// What a type column says: "fp16->fp32", "bf16+int8+fp32", "fp16 x int8", "fp32?".
struct TypeText {
    std::vector<isa::DataType> inputs;
    std::optional<isa::DataType> output;  // behind "->"
    std::string unread;  // the first word that is no type: "fp8_e4m3"; empty if there is none
};

/// Reads a column of types.
[[nodiscard]] TypeText parse_types(std::string_view text);
/// An element type by any usual name: fp16, half, float16, bf16, i8 …
[[nodiscard]] std::optional<isa::DataType> type_named(std::string_view word);

/// Why a row cannot be meant: a dimension of zero or less, or a type that looks like one and is none
/// ("fp12"). Empty for other rows.
[[nodiscard]] std::string nonsense_of(const Measurement& given);

/// What a column of cores says: "20", "24 aic + 48 aiv".
struct CoresText {
    std::optional<std::uint32_t> count;  // the first number, if it is certain
    std::optional<std::uint32_t> aic;
    std::optional<std::uint32_t> aiv;
};

/// Reads what it can of a column of cores.
[[nodiscard]] CoresText parse_cores(std::string_view text);

/// A row with its columns taken apart, as the families see it.
struct Row {
    explicit Row(const Measurement& given);

    const Measurement* measurement;
    std::string kernel;  // lower case, letters, digits and single blanks only
    std::string notes;   // lower case
    ShapeText shape;
    TypeText types;
    CoresText cores;

    /// Why the row's shape or types are not wholly understood, once its family has asked for what it takes;
    /// empty if they are. Such a row is not run.
    [[nodiscard]] std::string not_understood() const;

    /// True if the kernel's name holds one of these words or word groups, at word borders ignored:
    /// "matmul" is found in "aclnn MatMul" and in "BatchMatMulV2".
    [[nodiscard]] bool kernel_has(std::initializer_list<std::string_view> words) const;
    /// True if the notes hold the text, whatever its case.
    [[nodiscard]] bool notes_have(std::string_view text) const;
    /// The value of "key: value" (or key=value) in the notes: a word, or all of a list in brackets.
    [[nodiscard]] std::optional<std::string> attribute(std::string_view key) const;
    [[nodiscard]] std::optional<std::int64_t> integer(std::string_view key) const;
    [[nodiscard]] std::optional<bool> flag(std::string_view key) const;
    [[nodiscard]] std::vector<std::int64_t> list(std::string_view key) const;
};

}  // namespace ascendsim::validation
