// SPDX-License-Identifier: Apache-2.0
#include "networks/patterns/view.hpp"

#include <algorithm>

namespace ascendsim::networks {

PatternView::PatternView(const Graph& graph, const NetworkPlan& plan, const Lowering& lowering)
    : graph_{graph}, plan_{plan}, lowering_{lowering}, kept_{graph.outputs.begin(), graph.outputs.end()} {
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        for (const std::string& output : graph.nodes[i].outputs) {
            makers_[output] = i;
        }
        for (const std::string& input : graph.nodes[i].inputs) {
            readers_[input].insert(i);
        }
    }
}

const Tensor* PatternView::tensor(std::string_view name) const {
    const auto found = plan_.tensors.find(name);
    return name.empty() || found == plan_.tensors.end() ? nullptr : &found->second;
}

const std::vector<double>* PatternView::elements(std::string_view name) const {
    const Tensor* found = tensor(name);
    return found == nullptr ? nullptr : found->known() ? found->values.get() : found->given.get();
}

bool PatternView::weight(std::string_view name) const {
    return graph_.constants.contains(name) || is_weight(name);
}

std::size_t PatternView::maker(std::string_view name) const {
    const auto found = makers_.find(name);
    return name.empty() || found == makers_.end() ? graph_.nodes.size() : found->second;
}

const std::set<std::size_t>& PatternView::readers(std::string_view name) const {
    static const std::set<std::size_t> none;
    const auto found = readers_.find(name);
    return found == readers_.end() ? none : found->second;
}

bool PatternView::read_beyond(std::size_t index, const std::set<std::size_t>& gone) const {
    return std::ranges::any_of(node(index).outputs, [&](const std::string& output) {
        return kept(output) || std::ranges::any_of(readers(output), [&](std::size_t reader) {
                   return !gone.contains(reader);
               });
    });
}

}  // namespace ascendsim::networks
