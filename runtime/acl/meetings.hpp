// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ascendsim::program {

/// What a collective does. In the order of the words that tell of it.
enum class Exchange : std::uint8_t {
    all_reduce,
    all_gather,
    reduce_scatter,
    all_to_all,
    broadcast,
    send,  // and receive: of two ranks
    barrier,
    reduce,
    scatter,
};

/// Bytes of a buffer that one other rank gets or gives.
struct ExchangePiece {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
};

/// One rank's part of a collective call.
struct ExchangePart {
    const std::byte* from = nullptr;  // in device memory; null: it gives nothing
    std::uint64_t from_at = 0;        // the same in global memory
    std::uint64_t from_bytes = 0;
    std::byte* to = nullptr;
    std::uint64_t to_at = 0;
    std::uint64_t to_bytes = 0;
    std::vector<ExchangePiece> from_pieces = {};  // of an exchange of unequal parts: for each rank
    std::vector<ExchangePiece> to_pieces = {};
};

/// What a rank asks for. All ranks that meet must ask for the same: `agreed` compares.
struct ExchangeCall {
    Exchange kind = Exchange::barrier;
    std::string agreed;       // "HcclAllReduce of 1024 fp32, sum"
    std::uint64_t bytes = 0;  // as node::Collective counts them
    std::uint32_t root = 0;   // of broadcast, reduce and scatter, or who sends
    std::uint32_t peer = 0;   // of send: who receives
    ExchangePart part;
    /// Moves the data of all ranks, in their order, once all have come.
    std::function<void(std::span<const ExchangePart>)> effect;
};

/// A communicator: its ranks are devices.
enum class GroupNumber : std::uint32_t {};

}  // namespace ascendsim::program
