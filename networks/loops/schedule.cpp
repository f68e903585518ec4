// SPDX-License-Identifier: Apache-2.0
#include "networks/loops/schedule.hpp"

#include <algorithm>
#include <set>

#include "sim/base/error.hpp"

namespace ascendsim::networks::loops {
namespace {

bool reduces(const Node& node) {
    return node.code >= Code::reduce_sum;
}

Kind kind_of(const Node& node) {
    if (node.form.dense()) {
        return Kind::tile;
    }
    if (node.form.scalar()) {
        return Kind::number;
    }
    if (node.form.width) {
        return Kind::row;
    }
    return node.code == Code::spread ? Kind::blocks : Kind::column;
}

/// True if the instruction may write where it reads: lane by lane, elements of one size.
bool in_place(const Node& node, const Node& operand) {
    const bool lanes = node.code >= Code::round && node.code <= Code::shift_right;
    const bool chooses = node.code == Code::select || node.code == Code::select_scalar;
    return (lanes || chooses) && isa::bits(node.type) == isa::bits(operand.type) &&
           kind_of(node) == kind_of(operand) && operand.code != Code::spread;
}

class Scheduler {
public:
    Scheduler(const Program& program, const Space& space, bool chunked)
        : nodes_{program.nodes}, has_rows_{!space.flat && space.rows().extent > 1} {
        result_.chunked = chunked;
        find_held();
        if (chunked) {
            cut_into_passes(program.phases());
        } else {
            for (std::size_t i = 0; i < nodes_.size(); ++i) {
                if (!is_held(i)) {
                    result_.last.nodes.push_back(i);
                }
            }
        }
        pin();
        for (Body* body : bodies()) {
            place(*body);
        }
    }

    Schedule result() && { return std::move(result_); }

private:
    std::vector<Body*> bodies() {
        std::vector<Body*> all{&result_.start, &result_.last, &result_.finish};
        for (Body& body : result_.passes) {
            all.push_back(&body);
        }
        for (Body& body : result_.between) {
            all.push_back(&body);
        }
        return all;
    }

    bool is_held(std::size_t node) const {
        return std::ranges::find(result_.held, node) != result_.held.end();
    }

    /// Loads that do not change from tile to tile, and what converts them.
    void find_held() {
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            const Node& node = nodes_[i];
            const bool same = result_.chunked ? node.kept : !node.form.rows;
            if ((node.code == Code::load && same) ||
                (node.code == Code::convert && is_held(node.operands[0]))) {
                result_.held.push_back(i);
            }
        }
    }

    /// True for a held load that nothing takes but a held conversion.
    bool only_converted(std::size_t load) const {
        bool all = nodes_[load].code == Code::load;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            all = all && (!uses(i, load) || is_held(i));
        }
        return all;
    }

    void need(std::size_t node, std::set<std::size_t>& needed) const {
        for (const std::size_t operand : nodes_[node].operands) {
            if (!nodes_[operand].kept && needed.insert(operand).second) {
                need(operand, needed);
            }
        }
    }

    void cut_into_passes(std::size_t phases) {
        const auto kept_of = [this](std::size_t phase) {
            std::vector<std::size_t> nodes;
            for (std::size_t i = 0; i < nodes_.size(); ++i) {
                const Node& node = nodes_[i];
                if (node.kept && node.phase == phase && !reduces(node) && node.code != Code::store &&
                    !is_held(i)) {
                    nodes.push_back(i);
                }
            }
            return nodes;
        };
        result_.start.nodes = kept_of(0);
        for (std::size_t phase = 1; phase <= phases; ++phase) {
            std::set<std::size_t> needed;
            for (std::size_t i = 0; i < nodes_.size(); ++i) {
                if (reduces(nodes_[i]) && nodes_[i].phase == phase) {
                    needed.insert(i);
                    need(i, needed);
                }
            }
            result_.passes.push_back({.nodes = {needed.begin(), needed.end()}});
            result_.between.push_back({.nodes = kept_of(phase)});
        }
        std::set<std::size_t> needed;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            if (nodes_[i].code != Code::store) {
                continue;
            }
            if (nodes_[i].kept) {
                result_.finish.nodes.push_back(i);
            } else {
                needed.insert(i);
                need(i, needed);
            }
        }
        result_.last.nodes.assign(needed.begin(), needed.end());
    }

    void pin() {
        for (const std::size_t node : result_.held) {
            if (only_converted(node)) {
                continue;  // from where it was copied to
            }
            result_.pinned[node] = fresh(kind_of(nodes_[node]));
        }
        if (!result_.chunked) {
            return;
        }
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            if (nodes_[i].kept && nodes_[i].code != Code::store && !is_held(i)) {
                result_.pinned[i] = fresh(kind_of(nodes_[i]));
            }
        }
    }

    Place fresh(Kind kind) { return {kind, result_.slots[static_cast<std::size_t>(kind)]++}; }

    Place take(Kind kind) {
        std::set<std::size_t>& free = free_[static_cast<std::size_t>(kind)];
        if (free.empty()) {
            return fresh(kind);
        }
        const Place place{kind, *free.begin()};
        free.erase(free.begin());
        return place;
    }

    void give_back(Place place) {
        if (place.kind <= Kind::fold) {
            free_[static_cast<std::size_t>(place.kind)].insert(place.index);
        }
    }

    bool uses(std::size_t node, std::size_t value) const {
        return std::ranges::find(nodes_[node].operands, value) != nodes_[node].operands.end();
    }

    std::size_t last_use(const Body& body, std::size_t value) const {
        std::size_t last = 0;
        for (std::size_t i = 0; i < body.nodes.size(); ++i) {
            last = uses(body.nodes[i], value) ? i : last;
        }
        return last;
    }

    /// The store that could take the value where it is made, if all it does is to write it.
    const Node* direct_store(const Body& body, std::size_t value) const {
        if (nodes_[value].code == Code::load || result_.pinned.contains(value)) {
            return nullptr;
        }
        for (const std::size_t node : body.nodes) {
            if (nodes_[node].code == Code::store && uses(node, value)) {
                return &nodes_[node];
            }
        }
        return nullptr;
    }

    void place(Body& body) {
        std::set<std::size_t> outputs;  // that are written directly
        for (std::size_t i = 0; i < body.nodes.size(); ++i) {
            const std::size_t id = body.nodes[i];
            const Node& node = nodes_[id];
            if (reduces(node)) {
                place_reduction(body, i);
            }
            if (node.code == Code::store) {
                body.writes.push_back(node.tensor);
            } else if (node.code == Code::load) {
                body.reads.push_back(node.tensor);
                body.places[id] = {Kind::input, node.tensor};
            } else if (!result_.pinned.contains(id)) {
                const Node* store = direct_store(body, id);
                if (store != nullptr && outputs.insert(store->tensor).second) {
                    release(body, i, nullptr);
                    body.places[id] = {Kind::output, store->tensor};
                    continue;
                }
                body.places[id] = place_of(body, i);
            }
            const auto own = body.places.find(id);
            release(body, i, own == body.places.end() ? nullptr : &own->second);
        }
        for (const auto& [id, place] : body.places) {
            if (place.kind <= Kind::fold) {
                free_[static_cast<std::size_t>(place.kind)].insert(place.index);
            }
        }
    }

    /// What a reduction takes besides its operand and its result.
    void place_reduction(Body& body, std::size_t i) {
        const std::size_t id = body.nodes[i];
        const Node& node = nodes_[id];
        const Form from = nodes_[node.operands[0]].form;
        body.folds[id] = take(Kind::fold);
        const bool rows = has_rows_ && from.dense() && !node.form.rows;
        const Place operand = result_.place(body, node.operands[0]);
        const bool dies = !result_.pinned.contains(node.operands[0]) && operand.kind == Kind::tile &&
                          last_use(body, node.operands[0]) == i;
        if (rows) {
            body.scratch[id] = dies ? operand : take(Kind::tile);  // or folded where it lies
        }
        if (result_.chunked) {
            body.partial[id] = take(kind_of(node));
            give_back(body.partial[id]);
        }
        if (rows && !dies) {
            give_back(body.scratch[id]);
        }
        give_back(body.folds[id]);
    }

    /// A dying operand's place where the instruction may overwrite it, else a free one.
    Place place_of(const Body& body, std::size_t i) {
        const std::size_t id = body.nodes[i];
        for (const std::size_t operand : nodes_[id].operands) {
            const auto found = body.places.find(operand);
            if (found != body.places.end() && found->second.kind == kind_of(nodes_[id]) &&
                in_place(nodes_[id], nodes_[operand]) && last_use(body, operand) == i) {
                return found->second;
            }
        }
        return take(kind_of(nodes_[id]));
    }

    void release(const Body& body, std::size_t i, const Place* taken) {
        std::set<std::size_t> operands{nodes_[body.nodes[i]].operands.begin(),
                                       nodes_[body.nodes[i]].operands.end()};
        for (const std::size_t operand : operands) {
            const auto found = body.places.find(operand);
            if (found != body.places.end() && last_use(body, operand) == i &&
                (taken == nullptr || found->second != *taken)) {
                give_back(found->second);
            }
        }
    }

    const std::vector<Node>& nodes_;
    bool has_rows_;
    Schedule result_;
    std::array<std::set<std::size_t>, slot_kinds> free_;
};

}  // namespace

Place Schedule::place(const Body& body, std::size_t node) const {
    const auto found = body.places.find(node);
    return found != body.places.end() ? found->second : pinned.at(node);
}

std::vector<const Body*> Schedule::bodies() const {
    std::vector<const Body*> all{&start};
    for (std::size_t i = 0; i < passes.size(); ++i) {
        all.push_back(&passes[i]);
        all.push_back(&between[i]);
    }
    all.push_back(&last);
    all.push_back(&finish);
    return all;
}

Schedule schedule(const Program& program, const Space& space, bool chunked) {
    return Scheduler{program, space, chunked}.result();
}

}  // namespace ascendsim::networks::loops
