// SPDX-License-Identifier: Apache-2.0
#include "runtime/ranks/kernel_exchange_data.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "runtime/acl/collectives/hccl_moves.hpp"

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

program::ExchangePart part_of(const RoundPart& part) {
    return {.from = part.what->send + part.round * isa::round_pitch(*part.what),
            .to = part.what->receive + part.round * isa::round_pitch(*part.what)};
}

std::vector<program::ExchangePiece> unequal_pieces(const KernelExchange& what,
                                                   std::span<const std::uint64_t> offsets,
                                                   std::span<const std::uint64_t> counts) {
    std::vector<program::ExchangePiece> pieces;
    for (std::size_t rank = 0; rank < counts.size(); ++rank) {
        pieces.push_back({bytes_of(what, offsets[rank]), bytes_of(what, counts[rank])});
    }
    return pieces;
}

void set_pieces(program::ExchangePart& part, const KernelExchange& what, std::size_t ranks) {
    if (what.kind == KernelExchange::Kind::all_to_all_v) {
        part.from_pieces = unequal_pieces(what, what.send_offsets, what.send_counts);
        part.to_pieces = unequal_pieces(what, what.receive_offsets, what.receive_counts);
    } else if (what.kind == KernelExchange::Kind::all_gather) {
        set_gather_pieces(part, ranks, bytes_of(what, what.count), apart(what));
    } else {
        set_exchange_pieces(part, ranks, bytes_of(what, what.count), apart(what));
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
    const KernelExchange& what = *ranks.front().what;
    const auto type = static_cast<HcclDataType>(what.type);
    const auto operation = static_cast<HcclReduceOp>(what.operation);
    std::vector<program::ExchangePart> parts;
    for (const RoundPart& rank : ranks) {
        parts.push_back(part_of(rank));
        set_pieces(parts.back(), *rank.what, ranks.size());
    }
    switch (what.kind) {
        case KernelExchange::Kind::all_reduce:
            return program::reduce_to_all(parts, what.count, type, operation);
        case KernelExchange::Kind::reduce_scatter:
            return program::reduce_to_each(parts, apart(what), what.count, type, operation);
        case KernelExchange::Kind::all_gather:
            return program::exchange_pieces(parts, "Hccl::AllGather");
        case KernelExchange::Kind::all_to_all:
            return program::exchange_pieces(parts, "Hccl::AlltoAll");
        case KernelExchange::Kind::all_to_all_v:
            return program::exchange_pieces(parts, "Hccl::AlltoAllV");
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
