// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/skeleton/argument_scan.hpp"
#include "toolchain/rewrite/program_text.hpp"

namespace ascendsim::skeleton {

/// A source text as calls, structs and declarations, as far as words tell. Templates and overloads are not
/// resolved.
struct CallText {
    std::string_view name;
    std::string_view object;                               // of a member call, `zGm` in zGm.SetValue(…)
    std::vector<std::vector<std::string_view>> arguments;  // words of each
    std::size_t at = 0;                                    // of the name among all words
    std::size_t open = 0;                                  // of its bracket
};

/// The members of a struct that a scenario can list, and a sentence on those it cannot.
struct StructText {
    std::vector<ScannedField> fields;
    std::string unlisted;
};

class ArgumentText {
public:
    /// `text` may hold comments.
    explicit ArgumentText(std::string_view text);

    /// Calls, and what looks like them: declarations of objects and functions too.
    [[nodiscard]] const std::vector<CallText>& calls() const { return calls_; }

    /// Those in the body of function `name`; of a template's first definition.
    [[nodiscard]] std::vector<CallText> calls_in(std::string_view name) const;

    /// How functions called `name` of `count` parameters, or the constructor of the type an object of that
    /// name has, call parameter `place`.
    [[nodiscard]] std::vector<std::string> parameter_names(std::string_view name,
                                                           std::size_t count,
                                                           std::size_t place) const;

    /// The element type in `GlobalTensor<T> name`; empty if it is a template's parameter or not found.
    [[nodiscard]] std::string tensor_type(std::string_view name) const;

    /// The words of a pointer cast right before `name`: `__gm__ Tiling *` in (__gm__ Tiling*)tiling.
    [[nodiscard]] std::vector<std::string_view> cast_of(std::string_view name) const;

    /// A struct, class or BEGIN_TILING_DATA_DEF of that name.
    [[nodiscard]] std::optional<StructText> structure(std::string_view name) const;

private:
    [[nodiscard]] std::string_view at(std::size_t i) const {
        return i < words_.size() ? words_[i] : std::string_view{};
    }

    [[nodiscard]] std::size_t behind(std::size_t open) const;
    [[nodiscard]] std::optional<std::size_t> named_at(std::size_t open) const;
    [[nodiscard]] CallText call_at(std::size_t i, std::size_t open) const;
    [[nodiscard]] StructText members(std::size_t open) const;
    [[nodiscard]] StructText tiling_members(std::size_t begin) const;
    void add_member(StructText& all, const std::vector<std::string_view>& declaration) const;

    std::string plain_;
    std::vector<std::string_view> words_;
    std::vector<CallText> calls_;
};

/// The words of a text.
[[nodiscard]] std::vector<std::string_view> words_of(std::string_view text);
[[nodiscard]] std::string joined(const std::vector<std::string_view>& words);

/// The element type that a C++ type's word means, as scenarios spell it; empty for others.
[[nodiscard]] std::string element_type(std::string_view word);

/// The element type of a value that is declared with these words: "uint64" for `unsigned long total`, also
/// where the type takes several words; empty if none of them names one. The last word is the value's name.
[[nodiscard]] std::string value_type(const std::vector<std::string_view>& words);

}  // namespace ascendsim::skeleton
