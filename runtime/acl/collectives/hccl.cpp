// SPDX-License-Identifier: Apache-2.0
// Collectives: what a rank asks for, and what comes of the data of all.
#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "runtime/acl/collectives/hccl_moves.hpp"
#include "runtime/acl/collectives/hccl_rank.hpp"

namespace ascendsim::program {
namespace {

auto moves_pieces(const RankCall& call) {
    return [name = call.name](std::span<const ExchangePart> ranks) { exchange_pieces(ranks, name); };
}

HcclResult meet(const RankCall& call, ExchangeCall exchange) {
    exchange.effect = [device = call.device,
                       moves = std::move(exchange.effect)](std::span<const ExchangePart> ranks) {
        if (moves) {
            moves(ranks);
        }
        for (const ExchangePart& part : ranks) {
            if (part.to != nullptr) {
                device->host_wrote(part.to_at, part.to_bytes);
            }
        }
    };
    call.device->streams().meet(
        call.rank->group, call.rank->rank, call.stream, {call.name, call.site}, std::move(exchange));
    return HCCL_SUCCESS;
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

/// The first result that is none of success, of checks in turn.
template <class... Checks>
HcclResult first_wrong(const Checks&... checks) {
    HcclResult result = HCCL_SUCCESS;
    static_cast<void>(((result = checks(), result != HCCL_SUCCESS) || ...));
    return result;
}

HcclResult send_or_receive(RankCall call,
                           const void* buffer,
                           std::uint64_t count,
                           HcclDataType type,
                           std::uint32_t peer,
                           bool sends) {
    const std::uint64_t bytes = hccl_extent(count, type);
    const HcclResult wrong =
        first_wrong([&] { return hccl_find(call); },
                    [&] { return hccl_check(call, type); },
                    [&] { return hccl_check_peer(call, sends ? "destination rank" : "source rank", peer); },
                    [&] { return hccl_check_buffer(call, sends ? "send" : "receive", buffer, bytes); });
    if (wrong != HCCL_SUCCESS || count == 0) {
        return wrong;
    }
    if (peer == call.rank->rank) {
        return hccl_failure(HCCL_E_PARA, fmt::format("{}: rank {} is the caller itself", call.at(), peer));
    }
    const std::uint32_t self = call.rank->rank;
    return meet(call,
                {.kind = Exchange::send,
                 .agreed = fmt::format("{} {}", count, hccl_name(type)),
                 .bytes = bytes,
                 .root = sends ? self : peer,
                 .peer = sends ? peer : self,
                 .part = sends ? hccl_part(call, buffer, bytes, nullptr, 0)
                               : hccl_part(call, nullptr, 0, buffer, bytes),
                 .effect = [](std::span<const ExchangePart> ranks) {
                     std::memmove(ranks[1].to, ranks[0].from, ranks[0].from_bytes);
                 }});
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
        first_wrong([&] { return hccl_find(call); },
                    [&] { return hccl_check(call, dataType); },
                    [&] { return hccl_check(call, op); },
                    [&] { return hccl_check_buffers(call, sendBuf, bytes, recvBuf, bytes, 0, part); });
    if (wrong != HCCL_SUCCESS || count == 0) {
        return wrong;
    }
    return meet(call,
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
    const HcclResult wrong = first_wrong([&] { return hccl_find(call); },
                                         [&] { return hccl_check(call, dataType); },
                                         [&] { return hccl_check_peer(call, "root", root); },
                                         [&] { return hccl_check_buffer(call, "only", buf, bytes); });
    if (wrong != HCCL_SUCCESS || count == 0) {
        return wrong;
    }
    const bool gives = call.rank->rank == root;
    return meet(
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
    const HcclResult wrong = first_wrong(
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
    return meet(
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
    const HcclResult wrong =
        first_wrong([&] { return hccl_find(call); },
                    [&] { return hccl_check(call, dataType); },
                    [&] { return hccl_check_peer(call, "root", root); },
                    [&] {
                        return hccl_check_one_sided(
                            call, {sendBuf, bytes * call.rank->size}, {recvBuf, bytes}, true, root, part);
                    });
    if (wrong != HCCL_SUCCESS || recvCount == 0) {
        return wrong;
    }
    return meet(call,
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
        first_wrong([&] { return hccl_find(call); },
                    [&] { return hccl_check(call, dataType); },
                    [&] { return hccl_check(call, op); },
                    [&] {
                        return hccl_check_buffers(
                            call, sendBuf, bytes * call.rank->size, recvBuf, bytes, std::nullopt, part);
                    });
    if (wrong != HCCL_SUCCESS || recvCount == 0) {
        return wrong;
    }
    return meet(call,
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
    const HcclResult wrong = first_wrong(
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
    return meet(call,
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
    const HcclResult wrong = first_wrong(
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
    return meet(call,
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
    const HcclResult wrong = first_wrong(
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
    return meet(call,
                {.kind = Exchange::all_to_all,
                 .agreed = call.name,
                 .bytes = bytes,  // as if all parts were as large as the largest
                 .part = part,
                 .effect = moves_pieces(call)});
}

HcclResult HcclSend(void* sendBuf,
                    uint64_t count,
                    HcclDataType dataType,
                    uint32_t destRank,
                    HcclComm comm,
                    aclrtStream stream,
                    ascendsim::Site site) {
    return send_or_receive({"HcclSend", comm, stream, site}, sendBuf, count, dataType, destRank, true);
}

HcclResult HcclRecv(void* recvBuf,
                    uint64_t count,
                    HcclDataType dataType,
                    uint32_t srcRank,
                    HcclComm comm,
                    aclrtStream stream,
                    ascendsim::Site site) {
    return send_or_receive({"HcclRecv", comm, stream, site}, recvBuf, count, dataType, srcRank, false);
}

HcclResult HcclBarrier(HcclComm comm, aclrtStream stream, ascendsim::Site site) {
    RankCall call{"HcclBarrier", comm, stream, site};
    const HcclResult wrong = hccl_find(call);
    return wrong != HCCL_SUCCESS
               ? wrong
               : meet(call, {.kind = Exchange::barrier, .agreed = "HcclBarrier", .part = {}, .effect = {}});
}
}
