// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/acl/acl_state.hpp"
#include "runtime/acl/collectives/hccl_data.hpp"
#include "runtime/acl/include/hccl/hccl.h"

namespace ascendsim::program {

/// A stream of a communicator's own, and the event that tells when its work has ended.
struct HcclBranch {
    StreamNumber stream{};
    EventNumber ended{};
};

/// What a communicator's handle points to.
struct HcclRank {
    GroupNumber group{};
    std::uint32_t rank = 0;
    std::uint32_t size = 0;
    std::uint32_t device = 0;
    std::optional<EventNumber> begun = {};  // of HcclBatchSendRecv(), on the caller's stream
    std::vector<HcclBranch> branches = {};  // for its messages behind the first
};

/// The communicators that exist.
[[nodiscard]] std::set<HcclRank*>& hccl_comms();

/// Notes and prints why a call failed; returns `code`.
HcclResult hccl_failure(HcclResult code, const std::string& message);

/// A call of a rank, and where it stands.
struct RankCall {
    const char* name;
    HcclComm comm;
    aclrtStream handle;
    Site site;
    Device* device = nullptr;
    HcclRank* rank = nullptr;
    StreamNumber stream{};

    [[nodiscard]] std::string at() const { return at_line(name, site); }
};

/// Finds communicator and stream of a call.
HcclResult hccl_find(RankCall& call);
/// What is wrong with an argument; HCCL_SUCCESS if nothing is.
HcclResult hccl_check(const RankCall& call, HcclDataType type);
HcclResult hccl_check(const RankCall& call, HcclReduceOp op);
HcclResult hccl_check_peer(const RankCall& call, const char* what, std::uint32_t peer);
HcclResult hccl_check_buffer(const RankCall& call,
                             const char* which,
                             const void* buffer,
                             std::uint64_t bytes);
/// Send and receive buffer may not share bytes, but where `in_place` bytes into the second the first begins.
HcclResult hccl_check_overlap(const RankCall& call,
                              const ExchangePart& part,
                              std::optional<std::uint64_t> in_place);

/// Both buffers of a rank; one that is null, or of no bytes, is none.
[[nodiscard]] ExchangePart hccl_part(
    const RankCall& call, const void* from, std::uint64_t from_bytes, const void* to, std::uint64_t to_bytes);

/// Checks both buffers and that they do not overlap, and makes `part` of them.
HcclResult hccl_check_buffers(const RankCall& call,
                              const void* from,
                              std::uint64_t from_bytes,
                              const void* to,
                              std::uint64_t to_bytes,
                              std::optional<std::uint64_t> in_place,
                              ExchangePart& part);

/// The first result that is none of success, of checks in turn.
template <class... Checks>
HcclResult hccl_first_wrong(const Checks&... checks) {
    HcclResult result = HCCL_SUCCESS;
    static_cast<void>(((result = checks(), result != HCCL_SUCCESS) || ...));
    return result;
}

/// Puts a rank's part of what all have agreed on upon the call's stream.
HcclResult hccl_meet(const RankCall& call, ExchangeCall exchange);

/// A buffer as a call names it.
struct HcclBuffer {
    const void* at = nullptr;
    std::uint64_t bytes = 0;
};

/// The same where the root alone sends (`root_sends`), or alone receives: the other ranks have one buffer.
HcclResult hccl_check_one_sided(const RankCall& call,
                                HcclBuffer from,
                                HcclBuffer to,
                                bool root_sends,
                                std::uint32_t root,
                                ExchangePart& part);

}  // namespace ascendsim::program
