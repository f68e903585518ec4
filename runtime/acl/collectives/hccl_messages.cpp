// SPDX-License-Identifier: Apache-2.0
// Messages between two ranks, and what ranks meet by.
#include <algorithm>
#include <cstring>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runtime/acl/collectives/hccl_rank.hpp"

namespace ascendsim::program {

HcclResult hccl_meet(const RankCall& call, ExchangeCall exchange) {
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

namespace {

/// Of a message, what can be said before it is under way.
HcclResult check_item(const RankCall& call, const HcclSendRecvItem& item) {
    if (item.sendRecvType != HCCL_SEND && item.sendRecvType != HCCL_RECV) {
        return hccl_failure(HCCL_E_PARA,
                            fmt::format("{}: sendRecvType {} is neither HCCL_SEND nor HCCL_RECV",
                                        call.at(),
                                        static_cast<int>(item.sendRecvType)));
    }
    const bool sends = item.sendRecvType == HCCL_SEND;
    const std::uint64_t bytes = hccl_extent(item.count, item.dataType);
    return hccl_first_wrong(
        [&] { return hccl_check(call, item.dataType); },
        [&] { return hccl_check_peer(call, sends ? "destination rank" : "source rank", item.remoteRank); },
        [&] { return hccl_check_buffer(call, sends ? "send" : "receive", item.buf, bytes); },
        [&] {
            return item.count == 0 || item.remoteRank != call.rank->rank
                       ? HCCL_SUCCESS
                       : hccl_failure(
                             HCCL_E_PARA,
                             fmt::format("{}: rank {} is the caller itself", call.at(), item.remoteRank));
        });
}

HcclResult meet_peer(const RankCall& call, const HcclSendRecvItem& item) {
    const std::uint64_t bytes = hccl_extent(item.count, item.dataType);
    const std::uint32_t self = call.rank->rank;
    const bool sends = item.sendRecvType == HCCL_SEND;
    return hccl_meet(call,
                     {.kind = Exchange::send,
                      .agreed = fmt::format("{} {}", item.count, hccl_name(item.dataType)),
                      .bytes = bytes,
                      .root = sends ? self : item.remoteRank,
                      .peer = sends ? item.remoteRank : self,
                      .part = sends ? hccl_part(call, item.buf, bytes, nullptr, 0)
                                    : hccl_part(call, nullptr, 0, item.buf, bytes),
                      .effect = [](std::span<const ExchangePart> ranks) {
                          std::memmove(ranks[1].to, ranks[0].from, ranks[0].from_bytes);
                      }});
}

HcclResult send_or_receive(RankCall call, const HcclSendRecvItem& item) {
    const HcclResult wrong =
        hccl_first_wrong([&] { return hccl_find(call); }, [&] { return check_item(call, item); });
    return wrong != HCCL_SUCCESS || item.count == 0 ? wrong : meet_peer(call, item);
}

/// The first message goes on the caller's stream, each other one on a stream of the communicator's that
/// begins when the caller's has come to the call, and for which that one waits.
HcclResult send_and_receive(const RankCall& call, std::span<const HcclSendRecvItem> items) {
    Streams& streams = call.device->streams();
    HcclRank& rank = *call.rank;
    const CallPlace place{call.name, call.site};
    if (items.size() > 1) {
        rank.begun = rank.begun ? rank.begun : streams.create_event(true);
        streams.record(*rank.begun, call.stream, place);
    }
    if (!items.empty()) {
        static_cast<void>(meet_peer(call, items[0]));
    }
    for (std::size_t i = 1; i < items.size(); ++i) {
        if (rank.branches.size() < i) {
            rank.branches.push_back({streams.create_stream(rank.device, streams.priority_of(call.stream)),
                                     streams.create_event(true)});
        }
        const HcclBranch& branch = rank.branches[i - 1];
        RankCall beside = call;
        beside.stream = branch.stream;
        streams.wait(branch.stream, *rank.begun, place);
        static_cast<void>(meet_peer(beside, items[i]));
        streams.record(branch.ended, branch.stream, place);
    }
    for (std::size_t i = 1; i < items.size(); ++i) {
        streams.wait(call.stream, rank.branches[i - 1].ended, place);
    }
    return HCCL_SUCCESS;
}

}  // namespace
}  // namespace ascendsim::program

using namespace ascendsim::program;  // NOLINT(google-build-using-namespace): the functions below are C

extern "C" {

HcclResult HcclSend(void* sendBuf,
                    uint64_t count,
                    HcclDataType dataType,
                    uint32_t destRank,
                    HcclComm comm,
                    aclrtStream stream,
                    ascendsim::Site site) {
    return send_or_receive({"HcclSend", comm, stream, site}, {HCCL_SEND, sendBuf, count, dataType, destRank});
}

HcclResult HcclRecv(void* recvBuf,
                    uint64_t count,
                    HcclDataType dataType,
                    uint32_t srcRank,
                    HcclComm comm,
                    aclrtStream stream,
                    ascendsim::Site site) {
    return send_or_receive({"HcclRecv", comm, stream, site}, {HCCL_RECV, recvBuf, count, dataType, srcRank});
}

HcclResult HcclBatchSendRecv(HcclSendRecvItem* sendRecvInfo,
                             uint32_t itemNum,
                             HcclComm comm,
                             aclrtStream stream,
                             ascendsim::Site site) {
    RankCall call{"HcclBatchSendRecv", comm, stream, site};
    const HcclResult unknown = hccl_find(call);
    if (unknown != HCCL_SUCCESS) {
        return unknown;
    }
    if (sendRecvInfo == nullptr || itemNum == 0) {
        return hccl_failure(sendRecvInfo == nullptr ? HCCL_E_PTR : HCCL_E_PARA,
                            fmt::format("{}: there is no item to send or receive", call.at()));
    }
    const std::span<const HcclSendRecvItem> items{sendRecvInfo, itemNum};
    for (const HcclSendRecvItem& item : items) {
        const HcclResult wrong = check_item(call, item);
        if (wrong != HCCL_SUCCESS) {
            return wrong;
        }
    }
    std::vector<HcclSendRecvItem> messages;
    std::ranges::copy_if(
        items, std::back_inserter(messages), [](const HcclSendRecvItem& item) { return item.count != 0; });
    return send_and_receive(call, messages);
}
}
