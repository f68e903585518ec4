// SPDX-License-Identifier: Apache-2.0
// Communicators of the collective library.
#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "models/port/exchange_port.hpp"
#include "runtime/acl/collectives/hccl_rank.hpp"

namespace ascendsim::program {
namespace {

/// A communicator that ranks join one by one.
struct Joining {
    std::optional<GroupNumber> group;
    std::uint32_t size = 0;
    std::set<std::uint32_t> joined;
    std::set<std::uint32_t> devices;
};

/// By the number in the root's information.
std::map<std::uint32_t, Joining>& joinings() {
    static std::map<std::uint32_t, Joining> all;
    return all;
}

std::string name_of(GroupNumber group) {
    return fmt::format("group{}", static_cast<std::uint32_t>(group));
}

HcclResult add_comm(
    GroupNumber group, std::uint32_t rank, std::uint32_t size, std::uint32_t device, HcclComm* place) {
    auto* made = new HcclRank{group, rank, size, device};  // NOLINT(cppcoreguidelines-owning-memory)
    hccl_comms().insert(made);
    *place = made;
    return HCCL_SUCCESS;
}

}  // namespace
}  // namespace ascendsim::program

using namespace ascendsim::program;  // NOLINT(google-build-using-namespace): the functions below are C

extern "C" {

HcclResult HcclCommInitAll(uint32_t ndev, int32_t* devices, HcclComm* comms) {
    Device* device = acl_device("HcclCommInitAll");
    if (device == nullptr) {
        return HCCL_E_UNAVAIL;
    }
    if (devices == nullptr || comms == nullptr) {
        return hccl_failure(
            HCCL_E_PTR,
            fmt::format("HcclCommInitAll: {} is null",
                        devices == nullptr ? "the list of devices" : "the place for communicators"));
    }
    if (ndev == 0) {
        return hccl_failure(HCCL_E_PARA, "HcclCommInitAll: 0 devices");
    }
    const std::vector<int32_t> ranks(devices, devices + ndev);
    const std::uint32_t count = device->streams().device_count();
    for (uint32_t rank = 0; rank < ndev; ++rank) {
        if (ranks[rank] < 0 || static_cast<uint32_t>(ranks[rank]) >= count) {
            return hccl_failure(
                HCCL_E_PARA,
                fmt::format("HcclCommInitAll: rank {} is device {}: there are devices 0 to {}",
                            rank,
                            ranks[rank],
                            count - 1));
        }
        if (std::count(ranks.begin(), ranks.end(), ranks[rank]) > 1) {
            return hccl_failure(HCCL_E_PARA,
                                fmt::format("HcclCommInitAll: device {} is named twice", ranks[rank]));
        }
    }
    const GroupNumber group = device->streams().create_group(ndev);
    for (uint32_t rank = 0; rank < ndev; ++rank) {
        device->streams().join_group(group, rank, static_cast<uint32_t>(ranks[rank]));
        add_comm(group, rank, ndev, static_cast<uint32_t>(ranks[rank]), &comms[rank]);
    }
    return HCCL_SUCCESS;
}

HcclResult HcclGetRootInfo(HcclRootInfo* rootInfo) {
    if (rootInfo == nullptr) {
        return hccl_failure(HCCL_E_PTR, "HcclGetRootInfo: no place for the information");
    }
    const auto number = static_cast<uint32_t>(joinings().size() + 1);
    joinings()[number];
    std::memset(rootInfo->internal, 0, sizeof rootInfo->internal);
    std::memcpy(rootInfo->internal, &number, sizeof number);
    return HCCL_SUCCESS;
}

HcclResult HcclCommInitRootInfo(uint32_t nRanks,
                                const HcclRootInfo* rootInfo,
                                uint32_t rank,
                                HcclComm* comm) {
    const char* call = "HcclCommInitRootInfo";
    Device* device = acl_device(call);
    if (device == nullptr) {
        return HCCL_E_UNAVAIL;
    }
    if (rootInfo == nullptr || comm == nullptr) {
        return hccl_failure(
            HCCL_E_PTR,
            fmt::format("{}: {} is null",
                        call,
                        rootInfo == nullptr ? "the root's information" : "the communicator's place"));
    }
    uint32_t number = 0;
    std::memcpy(&number, rootInfo->internal, sizeof number);
    const auto known = joinings().find(number);
    if (known == joinings().end()) {
        return hccl_failure(HCCL_E_PARA, fmt::format("{}: the information is none of HcclGetRootInfo", call));
    }
    if (rank >= nRanks) {
        return hccl_failure(HCCL_E_PARA,
                            fmt::format("{}: rank {} of {} is out of range", call, rank, nRanks));
    }
    Joining& joining = known->second;
    if (joining.group && joining.size != nRanks) {
        return hccl_failure(
            HCCL_E_PARA,
            fmt::format("{}: rank {} says {} ranks, one before said {}", call, rank, nRanks, joining.size));
    }
    const std::uint32_t own = acl_thread().device;
    if (joining.joined.contains(rank) || joining.devices.contains(own)) {
        return hccl_failure(
            HCCL_E_PARA,
            joining.joined.contains(rank)
                ? fmt::format("{}: rank {} has joined before", call, rank)
                : fmt::format(
                      "{}: device {} is another rank already; call aclrtSetDevice before", call, own));
    }
    if (!joining.group) {
        joining.group = device->streams().create_group(nRanks);
        joining.size = nRanks;
    }
    joining.joined.insert(rank);
    joining.devices.insert(own);
    device->streams().join_group(*joining.group, rank, own);
    return add_comm(*joining.group, rank, nRanks, own, comm);
}

HcclResult HcclCommDestroy(HcclComm comm) {
    auto* rank = static_cast<HcclRank*>(comm);
    if (rank == nullptr || hccl_comms().erase(rank) == 0) {
        return hccl_failure(rank == nullptr ? HCCL_E_PTR : HCCL_E_PARA,
                            "HcclCommDestroy: no such communicator; was it destroyed before?");
    }
    delete rank;  // NOLINT(cppcoreguidelines-owning-memory)
    return HCCL_SUCCESS;
}

HcclResult HcclGetRankSize(HcclComm comm, uint32_t* rankSize) {
    if (comm == nullptr || rankSize == nullptr) {
        return hccl_failure(HCCL_E_PTR, "HcclGetRankSize: an argument is null");
    }
    *rankSize = static_cast<HcclRank*>(comm)->size;
    return HCCL_SUCCESS;
}

HcclResult HcclGetRankId(HcclComm comm, uint32_t* rank) {
    if (comm == nullptr || rank == nullptr) {
        return hccl_failure(HCCL_E_PTR, "HcclGetRankId: an argument is null");
    }
    *rank = static_cast<HcclRank*>(comm)->rank;
    return HCCL_SUCCESS;
}

HcclResult HcclGetCommName(HcclComm comm, char* commName) {
    if (comm == nullptr || commName == nullptr) {
        return hccl_failure(HCCL_E_PTR, "HcclGetCommName: an argument is null");
    }
    const std::string name = name_of(static_cast<HcclRank*>(comm)->group);
    std::memcpy(commName, name.c_str(), name.size() + 1);
    return HCCL_SUCCESS;
}

HcclResult HcomGetCommHandleByGroup(const char* group, HcclComm* comm) {
    const char* call = "HcomGetCommHandleByGroup";
    if (group == nullptr || comm == nullptr) {
        return hccl_failure(HCCL_E_PTR, fmt::format("{}: an argument is null", call));
    }
    for (HcclRank* rank : hccl_comms()) {
        if (rank->device == acl_thread().device && group == name_of(rank->group)) {
            *comm = rank;
            return HCCL_SUCCESS;
        }
    }
    return hccl_failure(
        HCCL_E_PARA, fmt::format("{}: device {} has no communicator '{}'", call, acl_thread().device, group));
}

HcclResult HcclAllocComResourceByTiling(HcclComm comm, void* /*stream*/, void* tiling, void** context) {
    const char* call = "HcclAllocComResourceByTiling";
    Device* device = acl_device(call);
    if (device == nullptr) {
        return HCCL_E_UNAVAIL;
    }
    auto* rank = static_cast<HcclRank*>(comm);
    if (rank == nullptr || context == nullptr || tiling == nullptr) {
        return hccl_failure(HCCL_E_PTR, fmt::format("{}: an argument is null", call));
    }
    if (!hccl_comms().contains(rank)) {
        return hccl_failure(HCCL_E_PARA,
                            fmt::format("{}: no such communicator; was it destroyed before?", call));
    }
    std::byte* known = device->streams().context_of(rank->group, rank->rank);
    if (known == nullptr) {
        const std::string title = fmt::format("context of rank {} of {}", rank->rank, name_of(rank->group));
        known = device->memory().allocate(title, ascendsim::isa::context_bytes);
        ascendsim::isa::fill_context(known, {rank->rank, rank->size});
        device->host_wrote(device->memory().offset_of(known), ascendsim::isa::context_bytes);
        device->streams().expose(rank->group, rank->rank, rank->size, known);
    }
    *context = known;
    return HCCL_SUCCESS;
}

HcclResult HcclGetCommAsyncError(HcclComm comm, HcclResult* asyncError) {
    if (comm == nullptr || asyncError == nullptr) {
        return hccl_failure(HCCL_E_PTR, "HcclGetCommAsyncError: an argument is null");
    }
    *asyncError = HCCL_SUCCESS;
    return HCCL_SUCCESS;
}

const char* HcclGetErrorString(HcclResult code) {
    switch (code) {
        case HCCL_SUCCESS:
            return "no error";
        case HCCL_E_PARA:
            return "parameter error";
        case HCCL_E_PTR:
            return "empty pointer";
        case HCCL_E_NOT_SUPPORT:
            return "feature not supported";
        case HCCL_E_UNAVAIL:
            return "resource unavailable";
        default:
            return "unknown error";
    }
}
}
