// SPDX-License-Identifier: Apache-2.0
#include "networks/loops/multiply_add.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace ascendsim::networks::loops {
namespace {

using isa::DataType;

class Joining {
public:
    explicit Joining(Program program) : program_{std::move(program)}, last_(program_.nodes.size(), 0) {
        uses_.resize(program_.nodes.size(), 0);
        for (std::size_t i = 0; i < program_.nodes.size(); ++i) {
            for (const std::size_t operand : program_.nodes[i].operands) {
                last_[operand] = i;
                ++uses_[operand];
            }
        }
    }

    Program run() && {
        std::vector<std::size_t> places(program_.nodes.size());
        Program result;
        for (std::size_t i = 0; i < program_.nodes.size(); ++i) {
            Node node = program_.nodes[i];
            if (const std::optional<Node> joined = joined_at(i)) {
                node = *joined;
            }
            for (std::size_t& operand : node.operands) {
                operand = places[operand];
            }
            if (gone_.contains(i)) {
                continue;
            }
            places[i] = result.nodes.size();
            result.nodes.push_back(std::move(node));
        }
        result.constants = std::move(constants_);
        return result;
    }

private:
    /// The sum at `i` with the product before it. Products come before their sums: what is left out is known
    /// when it is reached.
    std::optional<Node> joined_at(std::size_t i) {
        find_gone(i);
        const auto found = products_.find(i);
        if (found == products_.end()) {
            return std::nullopt;
        }
        const Node& sum = program_.nodes[i];
        const Node& product = program_.nodes[found->second.first];
        Node node = sum;
        node.code = Code::multiply_add;
        node.operands = {found->second.second};
        if (product.code == Code::mul) {
            const bool first = product.operands[0] == found->second.second;
            node.operands.push_back(product.operands[first ? 1 : 0]);
        } else {
            node.scalar = product.scalar;
            constant(product.scalar);
        }
        node.addend = sum.scalar;
        constant(sum.scalar);
        return node;
    }

    /// If the product at `i` can wait for its sum, it is gone.
    void find_gone(std::size_t i) {
        const Node& product = program_.nodes[i];
        if ((product.code != Code::mul && product.code != Code::muls) || uses_[i] != 1 ||
            product.type != DataType::float32 || !product.form.dense() ||
            (product.code == Code::muls && product.scalar == mean_factor)) {
            return;
        }
        const Node& sum = program_.nodes[last_[i]];
        if (sum.code != Code::adds || sum.type != DataType::float32 || sum.scalar == mean_factor) {
            return;
        }
        if (product.code == Code::mul && product.operands[0] == product.operands[1]) {
            return;
        }
        for (const std::size_t factor : product.operands) {
            const Node& made = program_.nodes[factor];
            if (made.form != product.form) {
                return;
            }
        }
        for (const std::size_t factor : product.operands) {
            const Node& made = program_.nodes[factor];
            if (last_[factor] == i && made.code != Code::load && made.type == DataType::float32) {
                products_[last_[i]] = {i, factor};
                gone_.insert(i);
                return;
            }
        }
    }

    void constant(double value) {
        if (std::ranges::find(constants_, value) == constants_.end()) {
            constants_.push_back(value);
        }
    }

    Program program_;
    std::vector<std::size_t> last_;  // node that uses each last
    std::vector<std::size_t> uses_;
    std::map<std::size_t, std::pair<std::size_t, std::size_t>> products_;  // by sums: product, dying factor
    std::set<std::size_t> gone_;
    std::vector<double> constants_;
};

}  // namespace

Program with_multiply_adds(Program program) {
    return Joining{std::move(program)}.run();
}

}  // namespace ascendsim::networks::loops
