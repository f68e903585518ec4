// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "networks/loops/helper_text.hpp"
#include "networks/loops/loops.hpp"
#include "networks/loops/program.hpp"
#include "networks/loops/schedule.hpp"
#include "networks/loops/space.hpp"

namespace ascendsim::networks::loops {

/// The name of an element type in Ascend C, as in "bfloat16_t".
[[nodiscard]] std::string type_name(isa::DataType type);

/// Writes bodies of a schedule as Ascend C.
class BodyWriter {
public:
    BodyWriter(const Loop& loop, const Space& space, const Program& program, const Schedule& schedule)
        : loop_{loop}, space_{space}, program_{program}, schedule_{schedule} {}

    /// The statements of a body, indented by eight. In a pass of a chunked kernel reductions add to what
    /// earlier tiles left.
    [[nodiscard]] std::string text(const Body& body, bool accumulates);

    /// The statements that copy a held load's raw elements to where they stay, and convert them.
    [[nodiscard]] std::string held_text(std::size_t load);

    /// Sets the results of a pass to what its reductions start with.
    [[nodiscard]] std::string reset_text(const Body& pass);

    /// A number as a literal of float.
    [[nodiscard]] static std::string number(double value);

    [[nodiscard]] const HelperNeeds& needs() const { return needs_; }

private:
    void emit(const Body& body, std::size_t node, bool accumulates);
    void emit_reduction(const Body& body, std::size_t node, bool accumulates);
    void emit_binary(const Body& body, std::size_t node);
    void emit_store(const Body& body, std::size_t node);
    void emit_expand(const Body& body, std::size_t node);
    void emit_multiply_add(const Body& body, std::size_t node);
    [[nodiscard]] std::string constant(double value) const;
    void line(const std::string& text, const std::set<Place>& reads, const std::set<Place>& writes);
    void barrier();
    void need(const std::string& operation);
    [[nodiscard]] std::string simple(const Body& body, std::size_t node);
    [[nodiscard]] std::string name(Place place, isa::DataType type);
    [[nodiscard]] std::string ref(const Body& body, std::size_t node);
    [[nodiscard]] std::string count(Form form) const;
    [[nodiscard]] std::string along(const Node& node, Form in) const;
    [[nodiscard]] std::string scalar(const Node& node) const;
    [[nodiscard]] std::string declarations() const;
    void comment(std::size_t node);

    const Loop& loop_;
    const Space& space_;
    const Program& program_;
    const Schedule& schedule_;
    HelperNeeds needs_;
    std::string text_;
    std::set<std::pair<Place, isa::DataType>> used_;
    std::set<Place> read_;     // since the last barrier
    std::set<Place> written_;  // since the last barrier
    std::optional<std::size_t> step_;
};

}  // namespace ascendsim::networks::loops
