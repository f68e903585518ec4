// SPDX-License-Identifier: Apache-2.0
#include "models/node/occupation.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>
#include <utility>

namespace ascendsim::node {
namespace {

bool holds_up(Doing doing) {
    return doing == Doing::rank_wait || (doing >= Doing::launch && doing != Doing::nothing);
}

}  // namespace

Picoseconds Occupation::free() const {
    const Occupation& all = *this;
    return all[Doing::rank_wait] + all[Doing::launch] + all[Doing::stream_wait] + all[Doing::host] +
           all[Doing::nothing];
}

Occupation occupation_of(const std::vector<Busy>& busy, Picoseconds length, std::size_t causes) {
    std::vector<std::pair<Picoseconds, std::size_t>> borders;  // start: index, end: index + size
    borders.reserve(2 * busy.size() + 1);
    for (std::size_t i = 0; i < busy.size(); ++i) {
        if (busy[i].start < busy[i].end) {
            borders.emplace_back(busy[i].start, i);
            borders.emplace_back(busy[i].end, i + busy.size());
        }
    }
    borders.emplace_back(length, 2 * busy.size());
    std::ranges::sort(borders);
    Occupation result{.causes = std::vector<Picoseconds>(causes)};
    std::array<std::set<std::size_t>, doing_count> under_way;
    Picoseconds now = 0;
    for (const auto& [at, border] : borders) {
        const auto first =
            std::ranges::find_if(under_way, [](const std::set<std::size_t>& some) { return !some.empty(); });
        const auto most = static_cast<Doing>(
            std::min<std::ptrdiff_t>(first - under_way.begin(), std::ptrdiff_t{index(Doing::nothing)}));
        result.sums[index(most)] += at - now;
        result.communication += under_way[index(Doing::communication)].empty() ? 0 : at - now;
        if (holds_up(most)) {
            result.causes[busy[*first->begin()].cause] += at - now;
        }
        now = at;
        if (border < busy.size()) {
            under_way[index(busy[border].doing)].insert(border);
        } else if (border < 2 * busy.size()) {
            under_way[index(busy[border - busy.size()].doing)].erase(border - busy.size());
        }
    }
    return result;
}

std::vector<Share> free_time(const Occupation& occupation, const std::vector<Cause>& causes) {
    std::vector<Share> shares;
    for (std::size_t i = 0; i < occupation.causes.size(); ++i) {
        if (occupation.causes[i] > 0) {
            shares.push_back({causes[i].what, occupation.causes[i], causes[i].place});
        }
    }
    if (occupation[Doing::nothing] > 0) {
        shares.push_back({"nothing to do", occupation[Doing::nothing], {}});
    }
    std::ranges::sort(shares, [](const Share& a, const Share& b) {
        return std::tie(a.what, a.place) < std::tie(b.what, b.place);
    });
    std::ranges::stable_sort(shares, std::greater{}, &Share::time);
    return shares;
}

}  // namespace ascendsim::node
