// SPDX-License-Identifier: Apache-2.0
#include "runtime/ranks/ranked_collective.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/acl/collectives/hccl_moves.hpp"
#include "runtime/ranks/kernel_exchange_data.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::runtime {
namespace {

using isa::DataType;
using isa::KernelExchange;
using node::CollectiveKind;

template <class... Arguments>
UserError wrong(const RankedCollective& what,
                fmt::format_string<Arguments...> words,
                Arguments&&... arguments) {
    return UserError{"{}:{}: collectives: {}: {}",
                     what.file,
                     what.line,
                     node::name(what.kind),
                     fmt::format(words, std::forward<Arguments>(arguments)...)};
}

const host::Buffer& buffer_of(const RankedCollective& what, const host::Plan& plan, const std::string& name) {
    const auto found = std::ranges::find(plan.buffers, name, &host::Buffer::name);
    if (found == plan.buffers.end()) {
        std::vector<std::string> names;
        for (const host::Buffer& buffer : plan.buffers) {
            names.push_back(buffer.name);
        }
        throw wrong(what,
                    "the kernel has no buffer '{}'{} (known: {})",
                    name,
                    nearest_hint(name, names),
                    fmt::join(names, ", "));
    }
    return *found;
}

std::optional<HcclDataType> hccl_type(DataType type) {
    switch (type) {
        case DataType::int8:
            return HCCL_DATA_TYPE_INT8;
        case DataType::uint8:
        case DataType::boolean:
            return HCCL_DATA_TYPE_UINT8;
        case DataType::int16:
            return HCCL_DATA_TYPE_INT16;
        case DataType::uint16:
            return HCCL_DATA_TYPE_UINT16;
        case DataType::int32:
            return HCCL_DATA_TYPE_INT32;
        case DataType::uint32:
            return HCCL_DATA_TYPE_UINT32;
        case DataType::int64:
            return HCCL_DATA_TYPE_INT64;
        case DataType::uint64:
            return HCCL_DATA_TYPE_UINT64;
        case DataType::half:
            return HCCL_DATA_TYPE_FP16;
        case DataType::bfloat16:
            return HCCL_DATA_TYPE_BFP16;
        case DataType::float32:
            return HCCL_DATA_TYPE_FP32;
        case DataType::float64:
            return HCCL_DATA_TYPE_FP64;
        case DataType::int4:
            break;
    }
    return std::nullopt;
}

HcclReduceOp hccl_operation(const RankedCollective& what) {
    constexpr std::array<std::string_view, 4> names{"sum", "prod", "max", "min"};  // as they are numbered
    const auto found = std::ranges::find(names, what.operation);
    check(found != names.end(), "a reduction that was not checked");
    return static_cast<HcclReduceOp>(found - names.begin());
}

/// Elements that a rank gives (of reduce_scatter: gets), as calls of the library count them.
std::uint64_t counted(const RankedCollective& what, const host::Plan& plan, std::size_t ranks) {
    switch (what.kind) {
        case CollectiveKind::reduce_scatter:
        case CollectiveKind::scatter:
            return buffer_of(what, plan, what.receive).count();
        case CollectiveKind::all_to_all:
            return buffer_of(what, plan, what.send).count() / ranks;
        default:
            return buffer_of(what, plan, what.send).count();
    }
}

KernelExchange::Kind kind_of(CollectiveKind kind) {
    switch (kind) {
        case CollectiveKind::all_gather:
            return KernelExchange::Kind::all_gather;
        case CollectiveKind::reduce_scatter:
            return KernelExchange::Kind::reduce_scatter;
        case CollectiveKind::all_to_all:
            return KernelExchange::Kind::all_to_all;
        default:
            return KernelExchange::Kind::all_reduce;
    }
}

program::Exchange exchange_kind(CollectiveKind kind) {
    switch (kind) {
        case CollectiveKind::all_gather:
            return program::Exchange::all_gather;
        case CollectiveKind::reduce_scatter:
            return program::Exchange::reduce_scatter;
        case CollectiveKind::all_to_all:
            return program::Exchange::all_to_all;
        case CollectiveKind::broadcast:
            return program::Exchange::broadcast;
        case CollectiveKind::reduce:
            return program::Exchange::reduce;
        case CollectiveKind::scatter:
            return program::Exchange::scatter;
        case CollectiveKind::all_reduce:
        case CollectiveKind::send_receive:  // none of a scenario's
            break;
    }
    return program::Exchange::all_reduce;
}

}  // namespace

const char* call_of(CollectiveKind kind) {
    switch (kind) {
        case CollectiveKind::all_gather:
            return "HcclAllGather";
        case CollectiveKind::reduce_scatter:
            return "HcclReduceScatter";
        case CollectiveKind::all_to_all:
            return "HcclAlltoAll";
        case CollectiveKind::broadcast:
            return "HcclBroadcast";
        case CollectiveKind::reduce:
            return "HcclReduce";
        case CollectiveKind::scatter:
            return "HcclScatter";
        case CollectiveKind::all_reduce:
        case CollectiveKind::send_receive:
            break;
    }
    return "HcclAllReduce";
}

void check_buffers(const RankedCollective& what, const host::Plan& plan, std::size_t ranks) {
    const host::Buffer& send = buffer_of(what, plan, what.send);
    const host::Buffer& receive = buffer_of(what, plan, what.receive);
    const bool in_place = what.kind == CollectiveKind::all_reduce || what.kind == CollectiveKind::broadcast;
    if (what.send == what.receive && !in_place) {
        throw wrong(
            what, "send and receive are both '{}'; only all_reduce and broadcast work in place", what.send);
    }
    if (send.type != receive.type || !hccl_type(send.type)) {
        throw wrong(what,
                    "'{}' holds {}, '{}' holds {}: they must be of one type, and not int4",
                    what.send,
                    isa::name(send.type),
                    what.receive,
                    isa::name(receive.type));
    }
    const std::uint64_t wanted =
        what.kind == CollectiveKind::all_gather ? send.count() * ranks : send.count();
    const bool parts = what.kind == CollectiveKind::reduce_scatter || what.kind == CollectiveKind::scatter;
    const std::uint64_t got = parts ? receive.count() * ranks : receive.count();
    const bool shared = what.kind != CollectiveKind::all_to_all || send.count() % ranks == 0;
    if (wanted != got || !shared || wanted == 0) {
        throw wrong(what,
                    "'{}' has {} elements and '{}' has {}: for {} ranks {}",
                    what.send,
                    send.count(),
                    what.receive,
                    receive.count(),
                    ranks,
                    what.kind == CollectiveKind::all_gather ? "receive must be as many times as long as send"
                    : parts                                 ? "send must be as many times as long as receive"
                    : what.kind == CollectiveKind::all_to_all ? "both must be of one length that they divide"
                                                              : "both must be of one length, and not empty");
    }
}

void check_alike(const RankedCollective& what, std::span<const host::Plan* const> plans) {
    const host::Buffer& first = buffer_of(what, *plans.front(), what.send);
    for (std::size_t rank = 1; rank < plans.size(); ++rank) {
        const host::Buffer& other = buffer_of(what, *plans[rank], what.send);
        if (other.type != first.type || other.count() != first.count()) {
            throw wrong(what,
                        "'{}' is {} x {} on rank 0 and {} x {} on rank {}",
                        what.send,
                        first.count(),
                        isa::name(first.type),
                        other.count(),
                        isa::name(other.type),
                        rank);
        }
    }
}

program::ExchangeCall exchange_of(const RankedCollective& what,
                                  const host::Plan& plan,
                                  std::size_t ranks,
                                  const program::ExchangePart& part,
                                  bool functional) {
    const HcclDataType type = hccl_type(buffer_of(what, plan, what.send).type).value();
    const std::uint64_t count = counted(what, plan, ranks);
    KernelExchange round{.kind = kind_of(what.kind),
                         .type = static_cast<std::uint32_t>(type),
                         .operation = static_cast<std::uint32_t>(hccl_operation(what)),
                         .count = count};
    const std::uint64_t bytes = count * isa::exchange_type_bytes(round.type);
    const bool of_all = what.kind == CollectiveKind::all_to_all;
    program::ExchangeCall call{.kind = exchange_kind(what.kind),
                               .agreed = fmt::format("{} of {} {} at {}:{}",
                                                     node::name(what.kind),
                                                     count,
                                                     program::hccl_name(type),
                                                     what.file,
                                                     what.line),
                               .bytes = of_all ? bytes * ranks : bytes,
                               .root = what.root,
                               .part = part,
                               .effect = {}};
    const HcclReduceOp operation = hccl_operation(what);
    call.effect = [functional, round, count, type, operation, root = what.root, kind = what.kind](
                      std::span<const program::ExchangePart> parts) {
        if (!functional) {
            return;
        }
        if (kind == CollectiveKind::broadcast) {
            program::give_all(parts, root);
            return;
        }
        if (kind == CollectiveKind::reduce) {
            program::reduce_to_one(parts, root, count, type, operation);
            return;
        }
        if (kind == CollectiveKind::scatter) {
            program::give_each(parts, root);
            return;
        }
        std::vector<KernelExchange> rounds(parts.size(), round);
        std::vector<RoundPart> of_ranks;
        for (std::size_t rank = 0; rank < parts.size(); ++rank) {
            rounds[rank].send = const_cast<std::byte*>(parts[rank].from);
            rounds[rank].receive = parts[rank].to;
            of_ranks.push_back({&rounds[rank], 0});
        }
        move_round(of_ranks);
    };
    return call;
}

void combine(const RankedCollective& what, std::span<std::vector<double>* const> ranks) {
    std::vector<double> result = *ranks.front();
    if (what.kind == CollectiveKind::broadcast) {
        result = *ranks[what.root];
    }
    for (std::size_t rank = 1; rank < ranks.size() && what.kind == CollectiveKind::all_reduce; ++rank) {
        for (std::size_t i = 0; i < result.size(); ++i) {
            result[i] = program::combined(hccl_operation(what), result[i], (*ranks[rank])[i]);
        }
    }
    for (std::vector<double>* rank : ranks) {
        *rank = result;
    }
}

}  // namespace ascendsim::runtime
