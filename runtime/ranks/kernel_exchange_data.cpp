// SPDX-License-Identifier: Apache-2.0
#include "runtime/ranks/kernel_exchange_data.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "runtime/acl/collectives/hccl_data.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::runtime {
namespace {

using isa::KernelExchange;

std::uint64_t bytes_of(const KernelExchange& what, std::uint64_t elements) {
    return elements * isa::exchange_type_bytes(what.type);
}

/// Between the parts of two ranks in a buffer.
std::uint64_t apart(const KernelExchange& what) {
    return bytes_of(what, what.stride == 0 ? what.count : what.stride);
}

const std::byte* sent(const RoundPart& part) {
    return part.what->send + part.round * isa::round_pitch(*part.what);
}

std::byte* received(const RoundPart& part) {
    return part.what->receive + part.round * isa::round_pitch(*part.what);
}

/// Adds up what all ranks have `offset` bytes into their send buffers.
std::vector<std::byte> reduced(std::span<const RoundPart> ranks, std::uint64_t offset) {
    const KernelExchange& what = *ranks.front().what;
    std::vector<program::ExchangePart> parts;
    for (const RoundPart& part : ranks) {
        parts.push_back({.from = sent(part) + offset});
    }
    std::vector<std::byte> sum(bytes_of(what, what.count));
    program::reduce(parts,
                    0,
                    what.count,
                    static_cast<HcclDataType>(what.type),
                    static_cast<HcclReduceOp>(what.operation),
                    sum.data());
    return sum;
}

void all_reduce(std::span<const RoundPart> ranks) {
    const std::vector<std::byte> sum = reduced(ranks, 0);
    for (const RoundPart& part : ranks) {
        std::memcpy(received(part), sum.data(), sum.size());
    }
}

void reduce_scatter(std::span<const RoundPart> ranks) {
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        const std::vector<std::byte> sum = reduced(ranks, rank * apart(*ranks.front().what));
        std::memcpy(received(ranks[rank]), sum.data(), sum.size());
    }
}

/// Rank `from` gives its part at `source` to all, who keep it as part `from`.
void all_gather(std::span<const RoundPart> ranks) {
    for (const RoundPart& to : ranks) {
        for (std::size_t from = 0; from < ranks.size(); ++from) {
            std::memmove(
                received(to) + from * apart(*to.what), sent(ranks[from]), bytes_of(*to.what, to.what->count));
        }
    }
}

void all_to_all(std::span<const RoundPart> ranks) {
    for (std::size_t to = 0; to < ranks.size(); ++to) {
        for (std::size_t from = 0; from < ranks.size(); ++from) {
            std::memcpy(received(ranks[to]) + from * apart(*ranks[to].what),
                        sent(ranks[from]) + to * apart(*ranks[from].what),
                        bytes_of(*ranks[to].what, ranks[to].what->count));
        }
    }
}

void all_to_all_v(std::span<const RoundPart> ranks) {
    for (std::size_t to = 0; to < ranks.size(); ++to) {
        for (std::size_t from = 0; from < ranks.size(); ++from) {
            const KernelExchange& sender = *ranks[from].what;
            const KernelExchange& receiver = *ranks[to].what;
            if (sender.send_counts[to] != receiver.receive_counts[from]) {
                throw ProgramError{"Hccl::AlltoAllV: rank {} sends {} elements to rank {}, which expects {}",
                                   from,
                                   sender.send_counts[to],
                                   to,
                                   receiver.receive_counts[from]};
            }
            std::memcpy(received(ranks[to]) + bytes_of(receiver, receiver.receive_offsets[from]),
                        sent(ranks[from]) + bytes_of(sender, sender.send_offsets[to]),
                        bytes_of(sender, sender.send_counts[to]));
        }
    }
}

/// Of an exchange of unequal parts: as if all were as large as the largest.
std::uint64_t largest_part(std::span<const RoundPart> ranks) {
    std::uint64_t most = 1;
    for (const RoundPart& part : ranks) {
        for (const std::uint64_t count : part.what->send_counts) {
            most = std::max(most, bytes_of(*part.what, count));
        }
    }
    return most;
}

}  // namespace

void move_round(std::span<const RoundPart> ranks) {
    switch (ranks.front().what->kind) {
        case KernelExchange::Kind::all_reduce:
            return all_reduce(ranks);
        case KernelExchange::Kind::all_gather:
            return all_gather(ranks);
        case KernelExchange::Kind::reduce_scatter:
            return reduce_scatter(ranks);
        case KernelExchange::Kind::all_to_all:
            return all_to_all(ranks);
        case KernelExchange::Kind::all_to_all_v:
            return all_to_all_v(ranks);
    }
}

std::string agreed_words(const KernelExchange& what) {
    constexpr const char* names[]{"AllReduce", "AllGather", "ReduceScatter", "AlltoAll", "AlltoAllV"};
    const char* name = names[static_cast<std::size_t>(what.kind)];
    if (what.kind == KernelExchange::Kind::all_to_all_v) {
        return fmt::format("{} of {}", name, program::hccl_name(static_cast<HcclDataType>(what.type)));
    }
    const std::string text = fmt::format(
        "{} of {} {}", name, what.count, program::hccl_name(static_cast<HcclDataType>(what.type)));
    const bool reduces =
        what.kind == KernelExchange::Kind::all_reduce || what.kind == KernelExchange::Kind::reduce_scatter;
    return reduces
               ? fmt::format("{}, {}", text, program::hccl_name(static_cast<HcclReduceOp>(what.operation)))
               : text;
}

node::Collective collective_of(std::span<const RoundPart> ranks) {
    using node::CollectiveKind;
    constexpr CollectiveKind kinds[]{CollectiveKind::all_reduce,
                                     CollectiveKind::all_gather,
                                     CollectiveKind::reduce_scatter,
                                     CollectiveKind::all_to_all,
                                     CollectiveKind::all_to_all};
    const KernelExchange& what = *ranks.front().what;
    const std::uint64_t part =
        what.kind == KernelExchange::Kind::all_to_all_v ? largest_part(ranks) : bytes_of(what, what.count);
    const bool of_each =
        what.kind == KernelExchange::Kind::all_to_all || what.kind == KernelExchange::Kind::all_to_all_v;
    return {.kind = kinds[static_cast<std::size_t>(what.kind)],
            .bytes = of_each ? part * ranks.size() : part,
            .ranks = {}};
}

}  // namespace ascendsim::runtime
