// SPDX-License-Identifier: Apache-2.0
// Collectives: what a rank asks for, and what comes of the data of all.
#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/acl/collectives/hccl_moves.hpp"
#include "runtime/acl/collectives/hccl_rank.hpp"

namespace ascendsim::program {
namespace {

auto moves_pieces(const RankCall& call) {
    return [name = call.name](std::span<const ExchangePart> ranks) { exchange_pieces(ranks, name); };
}

std::string words(const char* name, std::uint64_t count, HcclDataType type) {
    return fmt::format("{} of {} {}", name, count, hccl_name(type));
}

/// Of counts and displacements in elements, one for each rank.
std::vector<ExchangePiece> pieces_of(const RankCall& call,
                                     const void* counts,
                                     const void* displacements,
                                     HcclDataType type) {
    std::vector<ExchangePiece> pieces;
    for (std::uint32_t rank = 0; rank < call.rank->size; ++rank) {
        pieces.push_back({hccl_extent(static_cast<const std::uint64_t*>(displacements)[rank], type),
                          hccl_extent(static_cast<const std::uint64_t*>(counts)[rank], type)});
    }
    return pieces;
}

/// Bytes from the buffer's start to behind the last piece.
std::uint64_t extent_of(const std::vector<ExchangePiece>& pieces) {
    std::uint64_t end = 0;
    for (const ExchangePiece& piece : pieces) {
        end = std::max(end, piece.bytes == 0 ? 0 : piece.offset + piece.bytes);
    }
    return end;
}

std::uint64_t longest_of(const std::vector<ExchangePiece>& pieces) {
    std::uint64_t bytes = 1;
    for (const ExchangePiece& piece : pieces) {
        bytes = std::max(bytes, piece.bytes);
    }
    return bytes;
}

HcclResult check_counts(const RankCall& call, const void* counts, const void* displacements) {
    return counts == nullptr || displacements == nullptr
               ? hccl_failure(HCCL_E_PTR, fmt::format("{}: counts or displacements are null", call.at()))
               : HCCL_SUCCESS;
}

/// What a rank counts for itself must be what it gives or gets.
HcclResult check_own_count(const RankCall& call, const char* what, std::uint64_t own, std::uint64_t listed) {
    return own == listed
               ? HCCL_SUCCESS
               : hccl_failure(HCCL_E_PARA,
                              fmt::format("{}: {} is {}, but rank {} has {} among the counts of all",
                                          call.at(),
                                          what,
                                          own,
                                          call.rank->rank,
                                          listed));
}

/// The same as hccl_check_buffers(), where one of them may be empty.
HcclResult check_uneven(const RankCall& call,
                        HcclBuffer from,
                        HcclBuffer to,
                        std::optional<std::uint64_t> in_place,
                        ExchangePart& part) {
    for (const auto& [which, buffer] : {std::pair{"send", from}, std::pair{"receive", to}}) {
        const HcclResult wrong =
            buffer.bytes == 0 ? HCCL_SUCCESS : hccl_check_buffer(call, which, buffer.at, buffer.bytes);
        if (wrong != HCCL_SUCCESS) {
            return wrong;
        }
    }
    part = hccl_part(call, from.at, from.bytes, to.at, to.bytes);
    return part.from == nullptr || part.to == nullptr ? HCCL_SUCCESS
                                                      : hccl_check_overlap(call, part, in_place);
}

}  // namespace
}  // namespace ascendsim::program

using namespace ascendsim::program;  // NOLINT(google-build-using-namespace): the functions below are C

extern "C" {

HcclResult HcclAllReduce(void* sendBuf,
                         void* recvBuf,
                         uint64_t count,
                         HcclDataType dataType,
                         HcclReduceOp op,
                         HcclComm comm,
                         aclrtStream stream,
                         ascendsim::Site site) {
    RankCall call{"HcclAllReduce", comm, stream, site};
    const uint64_t bytes = hccl_extent(count, dataType);
    ExchangePart part;
    const HcclResult wrong =
        hccl_first_wrong([&] { return hccl_find(call); },
                         [&] { return hccl_check(call, dataType); },
                         [&] { return hccl_check(call, op); },
                         [&] { return hccl_check_buffers(call, sendBuf, bytes, recvBuf, bytes, 0, part); });
    if (wrong != HCCL_SUCCESS || count == 0) {
        return wrong;
    }
    return hccl_meet(call,
                     {.kind = Exchange::all_reduce,
                      .agreed = fmt::format("{}, {}", words(call.name, count, dataType), hccl_name(op)),
                      .bytes = bytes,
                      .part = part,
                      .effect = [count, dataType, op](std::span<const ExchangePart> ranks) {
                          reduce_to_all(ranks, count, dataType, op);
                      }});
}

HcclResult HcclBroadcast(void* buf,
                         uint64_t count,
                         HcclDataType dataType,
                         uint32_t root,
                         HcclComm comm,
                         aclrtStream stream,
                         ascendsim::Site site) {
    RankCall call{"HcclBroadcast", comm, stream, site};
    const uint64_t bytes = hccl_extent(count, dataType);
    const HcclResult wrong = hccl_first_wrong([&] { return hccl_find(call); },
                                              [&] { return hccl_check(call, dataType); },
                                              [&] { return hccl_check_peer(call, "root", root); },
                                              [&] { return hccl_check_buffer(call, "only", buf, bytes); });
    if (wrong != HCCL_SUCCESS || count == 0) {
        return wrong;
    }
    const bool gives = call.rank->rank == root;
    return hccl_meet(
        call,
        {.kind = Exchange::broadcast,
         .agreed = fmt::format("{} from rank {}", words(call.name, count, dataType), root),
         .bytes = bytes,
         .root = root,
         .part = gives ? hccl_part(call, buf, bytes, nullptr, 0) : hccl_part(call, nullptr, 0, buf, bytes),
         .effect = [root](std::span<const ExchangePart> ranks) { give_all(ranks, root); }});
}

HcclResult HcclReduce(void* sendBuf,
                      void* recvBuf,
                      uint64_t count,
                      HcclDataType dataType,
                      HcclReduceOp op,
                      uint32_t root,
                      HcclComm comm,
                      aclrtStream stream,
                      ascendsim::Site site) {
    RankCall call{"HcclReduce", comm, stream, site};
    const uint64_t bytes = hccl_extent(count, dataType);
    ExchangePart part;
    const HcclResult wrong = hccl_first_wrong(
        [&] { return hccl_find(call); },
        [&] { return hccl_check(call, dataType); },
        [&] { return hccl_check(call, op); },
        [&] { return hccl_check_peer(call, "root", root); },
        [&] {
            return hccl_check_one_sided(call, {sendBuf, bytes}, {recvBuf, bytes}, false, root, part);
        });
    if (wrong != HCCL_SUCCESS || count == 0) {
        return wrong;
    }
    return hccl_meet(
        call,
        {.kind = Exchange::reduce,
         .agreed = fmt::format("{}, {}, to rank {}", words(call.name, count, dataType), hccl_name(op), root),
         .bytes = bytes,
         .root = root,
         .part = part,
         .effect = [root, count, dataType, op](std::span<const ExchangePart> ranks) {
             reduce_to_one(ranks, root, count, dataType, op);
         }});
}

HcclResult HcclScatter(void* sendBuf,
                       void* recvBuf,
                       uint64_t recvCount,
                       HcclDataType dataType,
                       uint32_t root,
                       HcclComm comm,
                       aclrtStream stream,
                       ascendsim::Site site) {
    RankCall call{"HcclScatter", comm, stream, site};
    const uint64_t bytes = hccl_extent(recvCount, dataType);
    ExchangePart part;
    const HcclResult wrong = hccl_first_wrong(
        [&] { return hccl_find(call); },
        [&] { return hccl_check(call, dataType); },
        [&] { return hccl_check_peer(call, "root", root); },
        [&] {
            return hccl_check_one_sided(
                call, {sendBuf, bytes * call.rank->size}, {recvBuf, bytes}, true, root, part);
        });
    if (wrong != HCCL_SUCCESS || recvCount == 0) {
        return wrong;
    }
    return hccl_meet(call,
                     {.kind = Exchange::scatter,
                      .agreed = fmt::format("{} from rank {}", words(call.name, recvCount, dataType), root),
                      .bytes = bytes,
                      .root = root,
                      .part = part,
                      .effect = [root](std::span<const ExchangePart> ranks) { give_each(ranks, root); }});
}

HcclResult HcclReduceScatter(void* sendBuf,
                             void* recvBuf,
                             uint64_t recvCount,
                             HcclDataType dataType,
                             HcclReduceOp op,
                             HcclComm comm,
                             aclrtStream stream,
                             ascendsim::Site site) {
    RankCall call{"HcclReduceScatter", comm, stream, site};
    const uint64_t bytes = hccl_extent(recvCount, dataType);
    ExchangePart part;
    const HcclResult wrong =
        hccl_first_wrong([&] { return hccl_find(call); },
                         [&] { return hccl_check(call, dataType); },
                         [&] { return hccl_check(call, op); },
                         [&] {
                             return hccl_check_buffers(
                                 call, sendBuf, bytes * call.rank->size, recvBuf, bytes, std::nullopt, part);
                         });
    if (wrong != HCCL_SUCCESS || recvCount == 0) {
        return wrong;
    }
    return hccl_meet(call,
                     {.kind = Exchange::reduce_scatter,
                      .agreed = fmt::format("{}, {}", words(call.name, recvCount, dataType), hccl_name(op)),
                      .bytes = bytes,
                      .part = part,
                      .effect = [bytes, recvCount, dataType, op](std::span<const ExchangePart> ranks) {
                          reduce_to_each(ranks, bytes, recvCount, dataType, op);
                      }});
}

HcclResult HcclAllGather(void* sendBuf,
                         void* recvBuf,
                         uint64_t sendCount,
                         HcclDataType dataType,
                         HcclComm comm,
                         aclrtStream stream,
                         ascendsim::Site site) {
    RankCall call{"HcclAllGather", comm, stream, site};
    const uint64_t bytes = hccl_extent(sendCount, dataType);
    ExchangePart part;
    const HcclResult wrong = hccl_first_wrong(
        [&] { return hccl_find(call); },
        [&] { return hccl_check(call, dataType); },
        [&] {
            return hccl_check_buffers(
                call, sendBuf, bytes, recvBuf, bytes * call.rank->size, bytes * call.rank->rank, part);
        });
    if (wrong != HCCL_SUCCESS || sendCount == 0) {
        return wrong;
    }
    set_gather_pieces(part, call.rank->size, bytes, bytes);
    return hccl_meet(call,
                     {.kind = Exchange::all_gather,
                      .agreed = words(call.name, sendCount, dataType),
                      .bytes = bytes,
                      .part = part,
                      .effect = moves_pieces(call)});
}

HcclResult HcclAlltoAll(const void* sendBuf,
                        uint64_t sendCount,
                        HcclDataType sendType,
                        const void* recvBuf,
                        uint64_t recvCount,
                        HcclDataType recvType,
                        HcclComm comm,
                        aclrtStream stream,
                        ascendsim::Site site) {
    RankCall call{"HcclAlltoAll", comm, stream, site};
    const uint64_t bytes = hccl_extent(sendCount, sendType);
    ExchangePart part;
    const HcclResult wrong = hccl_first_wrong(
        [&] { return hccl_find(call); },
        [&] { return hccl_check(call, sendType); },
        [&] { return hccl_check(call, recvType); },
        [&] {
            return bytes == hccl_extent(recvCount, recvType)
                       ? HCCL_SUCCESS
                       : hccl_failure(HCCL_E_PARA,
                                      fmt::format("{}: {} {} are sent to each rank, {} {} received from each",
                                                  call.at(),
                                                  sendCount,
                                                  hccl_name(sendType),
                                                  recvCount,
                                                  hccl_name(recvType)));
        },
        [&] {
            return hccl_check_buffers(
                call, sendBuf, bytes * call.rank->size, recvBuf, bytes * call.rank->size, std::nullopt, part);
        });
    if (wrong != HCCL_SUCCESS || sendCount == 0) {
        return wrong;
    }
    set_exchange_pieces(part, call.rank->size, bytes, bytes);
    return hccl_meet(call,
                     {.kind = Exchange::all_to_all,
                      .agreed = words(call.name, sendCount, sendType),
                      .bytes = bytes * call.rank->size,
                      .part = part,
                      .effect = moves_pieces(call)});
}

HcclResult HcclAlltoAllV(const void* sendBuf,
                         const void* sendCounts,
                         const void* sdispls,
                         HcclDataType sendType,
                         const void* recvBuf,
                         const void* recvCounts,
                         const void* rdispls,
                         HcclDataType recvType,
                         HcclComm comm,
                         aclrtStream stream,
                         ascendsim::Site site) {
    RankCall call{"HcclAlltoAllV", comm, stream, site};
    std::vector<ExchangePiece> sent;
    std::vector<ExchangePiece> received;
    ExchangePart part;
    const HcclResult wrong = hccl_first_wrong(
        [&] { return hccl_find(call); },
        [&] { return hccl_check(call, sendType); },
        [&] { return hccl_check(call, recvType); },
        [&] {
            const bool null =
                sendCounts == nullptr || sdispls == nullptr || recvCounts == nullptr || rdispls == nullptr;
            return null ? hccl_failure(HCCL_E_PTR,
                                       fmt::format("{}: counts or displacements are null", call.at()))
                        : HCCL_SUCCESS;
        },
        [&] {
            sent = pieces_of(call, sendCounts, sdispls, sendType);
            received = pieces_of(call, recvCounts, rdispls, recvType);
            return extent_of(sent) == 0 ? HCCL_SUCCESS
                                        : hccl_check_buffer(call, "send", sendBuf, extent_of(sent));
        },
        [&] {
            return extent_of(received) == 0
                       ? HCCL_SUCCESS
                       : hccl_check_buffer(call, "receive", recvBuf, extent_of(received));
        },
        [&] {
            part = hccl_part(call, sendBuf, extent_of(sent), recvBuf, extent_of(received));
            return part.from == nullptr || part.to == nullptr ? HCCL_SUCCESS
                                                              : hccl_check_overlap(call, part, std::nullopt);
        });
    if (wrong != HCCL_SUCCESS) {
        return wrong;
    }
    uint64_t bytes = 1;
    for (const ExchangePiece& piece : sent) {
        bytes = std::max(bytes, piece.bytes * call.rank->size);
    }
    part.from_pieces = std::move(sent);
    part.to_pieces = std::move(received);
    return hccl_meet(call,
                     {.kind = Exchange::all_to_all,
                      .agreed = call.name,
                      .bytes = bytes,  // as if all parts were as large as the largest
                      .part = part,
                      .effect = moves_pieces(call)});
}

HcclResult HcclReduceScatterV(void* sendBuf,
                              const void* sendCounts,
                              const void* sendDispls,
                              void* recvBuf,
                              uint64_t recvCount,
                              HcclDataType dataType,
                              HcclReduceOp op,
                              HcclComm comm,
                              aclrtStream stream,
                              ascendsim::Site site) {
    RankCall call{"HcclReduceScatterV", comm, stream, site};
    std::vector<ExchangePiece> sent;
    ExchangePart part;
    const auto* const counts = static_cast<const uint64_t*>(sendCounts);
    const HcclResult wrong = hccl_first_wrong(
        [&] { return hccl_find(call); },
        [&] { return hccl_check(call, dataType); },
        [&] { return hccl_check(call, op); },
        [&] { return check_counts(call, sendCounts, sendDispls); },
        [&] { return check_own_count(call, "recvCount", recvCount, counts[call.rank->rank]); },
        [&] {
            sent = pieces_of(call, sendCounts, sendDispls, dataType);
            const HcclBuffer to{recvBuf, hccl_extent(recvCount, dataType)};
            return check_uneven(call, {sendBuf, extent_of(sent)}, to, std::nullopt, part);
        });
    if (wrong != HCCL_SUCCESS) {
        return wrong;
    }
    const std::vector<uint64_t> all{counts, counts + call.rank->size};
    const uint64_t bytes = longest_of(sent);
    part.from_pieces = std::move(sent);
    return hccl_meet(
        call,
        {.kind = Exchange::reduce_scatter,
         .agreed = fmt::format(
             "HcclReduceScatterV of {} {}, {}", fmt::join(all, ", "), hccl_name(dataType), hccl_name(op)),
         .bytes = bytes,  // as if all parts were as large as the largest
         .part = part,
         .effect = [dataType, op](std::span<const ExchangePart> ranks) {
             reduce_pieces(ranks, dataType, op);
         }});
}

HcclResult HcclAllGatherV(void* sendBuf,
                          uint64_t sendCount,
                          void* recvBuf,
                          const void* recvCounts,
                          const void* recvDispls,
                          HcclDataType dataType,
                          HcclComm comm,
                          aclrtStream stream,
                          ascendsim::Site site) {
    RankCall call{"HcclAllGatherV", comm, stream, site};
    std::vector<ExchangePiece> received;
    ExchangePart part;
    const auto* const counts = static_cast<const uint64_t*>(recvCounts);
    const uint64_t bytes = hccl_extent(sendCount, dataType);
    const HcclResult wrong = hccl_first_wrong(
        [&] { return hccl_find(call); },
        [&] { return hccl_check(call, dataType); },
        [&] { return check_counts(call, recvCounts, recvDispls); },
        [&] { return check_own_count(call, "sendCount", sendCount, counts[call.rank->rank]); },
        [&] {
            received = pieces_of(call, recvCounts, recvDispls, dataType);
            return check_uneven(call,
                                {sendBuf, bytes},
                                {recvBuf, extent_of(received)},
                                received[call.rank->rank].offset,
                                part);
        });
    if (wrong != HCCL_SUCCESS) {
        return wrong;
    }
    const uint64_t longest = longest_of(received);
    part.from_pieces = equal_pieces(call.rank->size, bytes, 0);
    part.to_pieces = std::move(received);
    return hccl_meet(call,
                     {.kind = Exchange::all_gather,
                      .agreed = fmt::format("HcclAllGatherV of {}", hccl_name(dataType)),
                      .bytes = longest,  // as if all parts were as large as the largest
                      .part = part,
                      .effect = moves_pieces(call)});
}

HcclResult HcclBarrier(HcclComm comm, aclrtStream stream, ascendsim::Site site) {
    RankCall call{"HcclBarrier", comm, stream, site};
    const HcclResult wrong = hccl_find(call);
    return wrong != HCCL_SUCCESS
               ? wrong
               : hccl_meet(call,
                           {.kind = Exchange::barrier, .agreed = "HcclBarrier", .part = {}, .effect = {}});
}
}
