// SPDX-License-Identifier: Apache-2.0
#include "runtime/acl/collectives/hccl_rank.hpp"

#include <optional>

#include <fmt/format.h>

#include "runtime/acl/acl_captures.hpp"

namespace ascendsim::program {

std::set<HcclRank*>& hccl_comms() {
    static std::set<HcclRank*> comms;
    return comms;
}

HcclResult hccl_failure(HcclResult code, const std::string& message) {
    acl_failure(code, message);
    return code;
}

HcclResult hccl_find(RankCall& call) {
    call.device = acl_device(call.name);
    if (call.device == nullptr) {
        return HCCL_E_UNAVAIL;
    }
    auto* rank = static_cast<HcclRank*>(call.comm);
    if (rank == nullptr) {
        return hccl_failure(HCCL_E_PTR, fmt::format("{}: the communicator is null", call.at()));
    }
    if (!hccl_comms().contains(rank)) {
        return hccl_failure(HCCL_E_PARA,
                            fmt::format("{}: no such communicator; was it destroyed before?", call.at()));
    }
    call.rank = rank;
    aclError error = ACL_SUCCESS;
    if (call.handle == nullptr) {
        call.stream = call.device->streams().default_stream(rank->device);
        return HCCL_SUCCESS;
    }
    const std::optional<StreamNumber> stream = stream_of(call.name, call.handle, error, true);
    if (!stream) {
        return HCCL_E_PARA;
    }
    call.stream = *stream;
    if (check_group(call.name, *call.device, *stream, false) != ACL_SUCCESS) {
        return HCCL_E_NOT_SUPPORT;
    }
    const std::uint32_t owner = call.device->streams().device_of(*stream);
    return owner == rank->device
               ? HCCL_SUCCESS
               : hccl_failure(
                     HCCL_E_PARA,
                     fmt::format("{}: the stream is one of device {}, rank {} of the communicator is "
                                 "device {}",
                                 call.at(),
                                 owner,
                                 rank->rank,
                                 rank->device));
}

HcclResult hccl_check(const RankCall& call, HcclDataType type) {
    return hccl_bytes(type) != 0
               ? HCCL_SUCCESS
               : hccl_failure(
                     HCCL_E_NOT_SUPPORT,
                     fmt::format("{}: data type {} does not exist", call.at(), static_cast<int>(type)));
}

HcclResult hccl_check(const RankCall& call, HcclReduceOp op) {
    return *hccl_name(op) != '\0'
               ? HCCL_SUCCESS
               : hccl_failure(
                     HCCL_E_PARA,
                     fmt::format("{}: reduction {} does not exist", call.at(), static_cast<int>(op)));
}

HcclResult hccl_check_peer(const RankCall& call, const char* what, std::uint32_t peer) {
    return peer < call.rank->size
               ? HCCL_SUCCESS
               : hccl_failure(HCCL_E_PARA,
                              fmt::format("{}: {} {} is out of range: the communicator has ranks 0 to {}",
                                          call.at(),
                                          what,
                                          peer,
                                          call.rank->size - 1));
}

HcclResult hccl_check_buffer(const RankCall& call,
                             const char* which,
                             const void* buffer,
                             std::uint64_t bytes) {
    if (buffer == nullptr) {
        return hccl_failure(HCCL_E_PTR, fmt::format("{}: the {} buffer is null", call.at(), which));
    }
    if (!call.device->memory().owns(buffer)) {
        return hccl_failure(
            HCCL_E_PARA,
            fmt::format(
                "{}: the {} buffer is host memory; collectives work on device memory", call.at(), which));
    }
    if (!on_device(*call.device, buffer, bytes)) {
        return hccl_failure(
            HCCL_E_PARA,
            fmt::format("{}: the call needs {} bytes of the {} buffer, which reach beyond its "
                        "allocation, or it was freed",
                        call.at(),
                        bytes,
                        which));
    }
    const std::uint32_t owner = device_of_memory(*call.device, buffer);
    return owner == call.rank->device
               ? HCCL_SUCCESS
               : hccl_failure(HCCL_E_PARA,
                              fmt::format("{}: the {} buffer is memory of device {}, rank {} is device {}",
                                          call.at(),
                                          which,
                                          owner,
                                          call.rank->rank,
                                          call.rank->device));
}

ExchangePart hccl_part(const RankCall& call,
                       const void* from,
                       std::uint64_t from_bytes,
                       const void* to,
                       std::uint64_t to_bytes) {
    const isa::GlobalMemory& memory = call.device->memory();
    ExchangePart part;
    if (from != nullptr && from_bytes != 0) {
        part.from = static_cast<const std::byte*>(from);
        part.from_at = memory.offset_of(from);
        part.from_bytes = from_bytes;
    }
    if (to != nullptr && to_bytes != 0) {
        part.to = static_cast<std::byte*>(const_cast<void*>(to));
        part.to_at = memory.offset_of(to);
        part.to_bytes = to_bytes;
    }
    return part;
}

HcclResult hccl_check_overlap(const RankCall& call,
                              const ExchangePart& part,
                              std::optional<std::uint64_t> in_place) {
    const bool same = in_place && part.from_at == part.to_at + *in_place;
    const bool apart =
        part.from_at + part.from_bytes <= part.to_at || part.to_at + part.to_bytes <= part.from_at;
    return apart || same
               ? HCCL_SUCCESS
               : hccl_failure(
                     HCCL_E_PARA,
                     fmt::format("{}: send and receive buffer overlap: bytes [{}, {}) and [{}, {}) of "
                                 "global memory{}",
                                 call.at(),
                                 part.from_at,
                                 part.from_at + part.from_bytes,
                                 part.to_at,
                                 part.to_at + part.to_bytes,
                                 in_place == 0 ? "; they may be the same, or apart" : ""));
}

HcclResult hccl_check_buffers(const RankCall& call,
                              const void* from,
                              std::uint64_t from_bytes,
                              const void* to,
                              std::uint64_t to_bytes,
                              std::optional<std::uint64_t> in_place,
                              ExchangePart& part) {
    HcclResult wrong = hccl_check_buffer(call, "send", from, from_bytes);
    wrong = wrong != HCCL_SUCCESS ? wrong : hccl_check_buffer(call, "receive", to, to_bytes);
    if (wrong != HCCL_SUCCESS) {
        return wrong;
    }
    part = hccl_part(call, from, from_bytes, to, to_bytes);
    return hccl_check_overlap(call, part, in_place);
}

HcclResult hccl_check_one_sided(const RankCall& call,
                                HcclBuffer from,
                                HcclBuffer to,
                                bool root_sends,
                                std::uint32_t root,
                                ExchangePart& part) {
    if (call.rank->rank == root) {
        return hccl_check_buffers(call, from.at, from.bytes, to.at, to.bytes, 0, part);
    }
    const HcclBuffer only = root_sends ? to : from;
    const HcclResult wrong = hccl_check_buffer(call, root_sends ? "receive" : "send", only.at, only.bytes);
    if (wrong == HCCL_SUCCESS) {
        part = root_sends ? hccl_part(call, nullptr, 0, only.at, only.bytes)
                          : hccl_part(call, only.at, only.bytes, nullptr, 0);
    }
    return wrong;
}

}  // namespace ascendsim::program
