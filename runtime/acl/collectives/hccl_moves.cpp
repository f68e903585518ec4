// SPDX-License-Identifier: Apache-2.0
#include "runtime/acl/collectives/hccl_moves.hpp"

#include <cstring>

#include "sim/base/error.hpp"

namespace ascendsim::program {

std::vector<ExchangePiece> equal_pieces(std::size_t ranks, std::uint64_t bytes, std::uint64_t pitch) {
    std::vector<ExchangePiece> pieces;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        pieces.push_back({rank * pitch, bytes});
    }
    return pieces;
}

void set_gather_pieces(ExchangePart& part, std::size_t ranks, std::uint64_t bytes, std::uint64_t pitch) {
    part.from_pieces = equal_pieces(ranks, bytes, 0);
    part.to_pieces = equal_pieces(ranks, bytes, pitch);
}

void set_exchange_pieces(ExchangePart& part, std::size_t ranks, std::uint64_t bytes, std::uint64_t pitch) {
    part.from_pieces = equal_pieces(ranks, bytes, pitch);
    part.to_pieces = part.from_pieces;
}

void exchange_pieces(std::span<const ExchangePart> ranks, std::string_view call) {
    for (std::size_t to = 0; to < ranks.size(); ++to) {
        for (std::size_t from = 0; from < ranks.size(); ++from) {
            const ExchangePiece& sent = ranks[from].from_pieces[to];
            const ExchangePiece& received = ranks[to].to_pieces[from];
            if (sent.bytes != received.bytes) {
                throw ProgramError{"{}: rank {} sends {} bytes to rank {}, which expects {}",
                                   call,
                                   from,
                                   sent.bytes,
                                   to,
                                   received.bytes};
            }
            if (sent.bytes != 0) {
                std::memmove(ranks[to].to + received.offset, ranks[from].from + sent.offset, sent.bytes);
            }
        }
    }
}

void reduce_to_all(std::span<const ExchangePart> ranks,
                   std::uint64_t count,
                   HcclDataType type,
                   HcclReduceOp op) {
    std::vector<std::byte> sum(count * hccl_bytes(type));
    reduce(ranks, count, type, op, sum.data());
    for (const ExchangePart& rank : ranks) {
        std::memcpy(rank.to, sum.data(), sum.size());
    }
}

void reduce_to_one(std::span<const ExchangePart> ranks,
                   std::uint32_t root,
                   std::uint64_t count,
                   HcclDataType type,
                   HcclReduceOp op) {
    std::vector<std::byte> sum(count * hccl_bytes(type));
    reduce(ranks, count, type, op, sum.data());
    std::memcpy(ranks[root].to, sum.data(), sum.size());
}

void reduce_to_each(std::span<const ExchangePart> ranks,
                    std::uint64_t pitch,
                    std::uint64_t count,
                    HcclDataType type,
                    HcclReduceOp op) {
    std::vector<std::byte> sum(count * hccl_bytes(type));
    std::vector<ExchangePart> parts{ranks.begin(), ranks.end()};
    for (const ExchangePart& rank : ranks) {
        reduce(parts, count, type, op, sum.data());
        std::memcpy(rank.to, sum.data(), sum.size());
        for (ExchangePart& part : parts) {
            part.from += pitch;
        }
    }
}

void reduce_pieces(std::span<const ExchangePart> ranks, HcclDataType type, HcclReduceOp op) {
    for (std::size_t to = 0; to < ranks.size(); ++to) {
        std::vector<ExchangePart> parts{ranks.begin(), ranks.end()};
        for (ExchangePart& part : parts) {
            part.from += part.from_pieces[to].offset;
        }
        const std::uint64_t bytes = ranks[to].from_pieces[to].bytes;
        std::vector<std::byte> sum(bytes);
        if (bytes != 0) {
            reduce(parts, bytes / hccl_bytes(type), type, op, sum.data());
            std::memcpy(ranks[to].to, sum.data(), sum.size());
        }
    }
}

void give_each(std::span<const ExchangePart> ranks, std::uint32_t root) {
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        std::memmove(ranks[rank].to, ranks[root].from + rank * ranks[rank].to_bytes, ranks[rank].to_bytes);
    }
}

void give_all(std::span<const ExchangePart> ranks, std::uint32_t root) {
    for (const ExchangePart& rank : ranks) {
        if (rank.to != nullptr) {
            std::memmove(rank.to, ranks[root].from, rank.to_bytes);
        }
    }
}

}  // namespace ascendsim::program
