// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "networks/patterns/expression.hpp"
#include "networks/patterns/view.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::networks {

/// What stands for nodes of a network.
struct Rewriting {
    std::set<std::size_t> nodes;                // that are replaced
    std::vector<Node> with;                     // make what others read of them
    std::map<std::string, std::string> same;    // or: their result is this tensor
    std::map<std::string, Tensor> constants{};  // new ones, such as folded weights
};

/// Nodes that a pattern all but covers, and why it does not.
class NoMatch : public UserError {
public:
    template <class... Args>
    NoMatch(std::string code, fmt::format_string<Args...> text, Args&&... args)
        : UserError{"{}", fmt::format(text, std::forward<Args>(args)...)}, code_{std::move(code)} {}

    [[nodiscard]] const std::string& code() const { return code_; }

private:
    std::string code_;
};

/// When a pattern is looked for: what tidies up comes before what recognises, and that before what joins.
enum class Phase : std::uint8_t { tidy, recognise, fold, join };

/// A rewriting of nodes by algebra.
struct Pattern {
    std::string name;
    Phase phase = Phase::join;
    /// Of the node that makes the last result. Nothing if it is none; throws NoMatch if it nearly is.
    std::function<std::optional<Rewriting>(const PatternView&, std::size_t node)> rewrite;
    /// Nodes whose results others read too may stay, besides what replaces them.
    bool may_stay = false;
    /// Also of a node that cannot run: what replaces it may.
    bool mends = false;
};

using Patterns = std::vector<Pattern>;

/// All patterns, gathered while building, in the order of their phases and files.
[[nodiscard]] Patterns all_patterns();

/// A node that makes `output`, named as its maker in `view`.
[[nodiscard]] Node replacing(const PatternView& view,
                             const std::string& output,
                             std::string op,
                             std::vector<std::string> inputs,
                             std::map<std::string, Attribute, std::less<>> attributes = {});

}  // namespace ascendsim::networks
