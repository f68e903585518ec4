// SPDX-License-Identifier: Apache-2.0
// Collectives of host programs, over the devices of the simulated node. A call puts its work on a stream and
// returns; ranks meet when the streams of all of them have come to it. Ranks are devices of one program.
#pragma once

#include "acl/acl.h"  // as with the vendor's: programs that include this header alone use both
#include "hccl/hccl_types.h"

extern "C" {

/// One communicator for each of `ndev` devices, in the order of `devices`, which are its ranks.
HcclResult HcclCommInitAll(uint32_t ndev, int32_t* devices, HcclComm* comms);
/// Names a communicator to be; each rank joins it with HcclCommInitRootInfo(), from the device that is to be
/// its own. Joining does not wait for the others.
HcclResult HcclGetRootInfo(HcclRootInfo* rootInfo);
HcclResult HcclCommInitRootInfo(uint32_t nRanks, const HcclRootInfo* rootInfo, uint32_t rank, HcclComm* comm);
HcclResult HcclCommDestroy(HcclComm comm);
HcclResult HcclGetRankSize(HcclComm comm, uint32_t* rankSize);
HcclResult HcclGetRankId(HcclComm comm, uint32_t* rank);
HcclResult HcclGetCommName(HcclComm comm, char* commName);
HcclResult HcclGetCommAsyncError(HcclComm comm, HcclResult* asyncError);
const char* HcclGetErrorString(HcclResult code);
/// The communicator of that name (HcclGetCommName) of the present device.
HcclResult HcomGetCommHandleByGroup(const char* group, HcclComm* comm);
/// What a kernel of the rank's device needs to communicate: an address that it takes as an argument, or gets
/// with GetHcclContext. It lives as long as the communicator.
HcclResult HcclAllocComResourceByTiling(HcclComm comm, void* stream, void* tiling, void** context);

HcclResult HcclAllReduce(void* sendBuf,
                         void* recvBuf,
                         uint64_t count,
                         HcclDataType dataType,
                         HcclReduceOp op,
                         HcclComm comm,
                         aclrtStream stream,
                         ascendsim::Site site = ascendsim::Site::here());
HcclResult HcclBroadcast(void* buf,
                         uint64_t count,
                         HcclDataType dataType,
                         uint32_t root,
                         HcclComm comm,
                         aclrtStream stream,
                         ascendsim::Site site = ascendsim::Site::here());
/// The root gets what all have come to; of the others the receive buffer may be null.
HcclResult HcclReduce(void* sendBuf,
                      void* recvBuf,
                      uint64_t count,
                      HcclDataType dataType,
                      HcclReduceOp op,
                      uint32_t root,
                      HcclComm comm,
                      aclrtStream stream,
                      ascendsim::Site site = ascendsim::Site::here());
/// Each gets its part of what the root has; of the others the send buffer may be null.
HcclResult HcclScatter(void* sendBuf,
                       void* recvBuf,
                       uint64_t recvCount,
                       HcclDataType dataType,
                       uint32_t root,
                       HcclComm comm,
                       aclrtStream stream,
                       ascendsim::Site site = ascendsim::Site::here());
HcclResult HcclReduceScatter(void* sendBuf,
                             void* recvBuf,
                             uint64_t recvCount,
                             HcclDataType dataType,
                             HcclReduceOp op,
                             HcclComm comm,
                             aclrtStream stream,
                             ascendsim::Site site = ascendsim::Site::here());
HcclResult HcclAllGather(void* sendBuf,
                         void* recvBuf,
                         uint64_t sendCount,
                         HcclDataType dataType,
                         HcclComm comm,
                         aclrtStream stream,
                         ascendsim::Site site = ascendsim::Site::here());
/// As HcclReduceScatter(), of parts that are not equally long: the i-th of the send buffer goes to rank i.
/// Counts and displacements are in elements; ranks may have other displacements, but not other counts.
HcclResult HcclReduceScatterV(void* sendBuf,
                              const void* sendCounts,
                              const void* sendDispls,
                              void* recvBuf,
                              uint64_t recvCount,
                              HcclDataType dataType,
                              HcclReduceOp op,
                              HcclComm comm,
                              aclrtStream stream,
                              ascendsim::Site site = ascendsim::Site::here());
/// As HcclAllGather(), of parts that are not equally long: rank i's comes to the i-th displacement.
HcclResult HcclAllGatherV(void* sendBuf,
                          uint64_t sendCount,
                          void* recvBuf,
                          const void* recvCounts,
                          const void* recvDispls,
                          HcclDataType dataType,
                          HcclComm comm,
                          aclrtStream stream,
                          ascendsim::Site site = ascendsim::Site::here());
/// Rank i's part j goes to rank j's part i.
HcclResult HcclAlltoAll(const void* sendBuf,
                        uint64_t sendCount,
                        HcclDataType sendType,
                        const void* recvBuf,
                        uint64_t recvCount,
                        HcclDataType recvType,
                        HcclComm comm,
                        aclrtStream stream,
                        ascendsim::Site site = ascendsim::Site::here());
/// Counts and displacements are in elements, one for each rank.
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
                         ascendsim::Site site = ascendsim::Site::here());
HcclResult HcclSend(void* sendBuf,
                    uint64_t count,
                    HcclDataType dataType,
                    uint32_t destRank,
                    HcclComm comm,
                    aclrtStream stream,
                    ascendsim::Site site = ascendsim::Site::here());
HcclResult HcclRecv(void* recvBuf,
                    uint64_t count,
                    HcclDataType dataType,
                    uint32_t srcRank,
                    HcclComm comm,
                    aclrtStream stream,
                    ascendsim::Site site = ascendsim::Site::here());
/// Messages that do not wait for each other; those of one direction between two ranks meet in their order.
HcclResult HcclBatchSendRecv(HcclSendRecvItem* sendRecvInfo,
                             uint32_t itemNum,
                             HcclComm comm,
                             aclrtStream stream,
                             ascendsim::Site site = ascendsim::Site::here());
HcclResult HcclBarrier(HcclComm comm, aclrtStream stream, ascendsim::Site site = ascendsim::Site::here());
}
