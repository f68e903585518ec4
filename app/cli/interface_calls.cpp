// SPDX-License-Identifier: Apache-2.0
#include "app/cli/interface_calls.hpp"

#include <array>
#include <sstream>

namespace ascendsim::cli {

namespace {

constexpr std::array<InterfaceCall, 79> calls{{
    {"Abs", "vabs", ""},
    {"Add", "vadd", ""},
    {"AddRelu", "vaddrelu", ""},
    {"AddDeqRelu", "vadddeqrelu", ""},
    {"Adds", "vadds", ""},
    {"And", "vand", ""},
    {"Axpy", "vaxpy", ""},
    {"BlockReduceMax", "vcgmax", ""},
    {"BlockReduceMin", "vcgmin", ""},
    {"BlockReduceSum", "vcgadd", ""},
    {"Brcb", "vbrcb", ""},
    {"Cast", "vconv", ""},
    {"CastDeq", "vconv_deq", ""},
    {"Compare", "vcmpv vcmp", "to a bit mask in UB; without a destination to the compare-mask register"},
    {"CompareScalar", "vcmpvs", ""},
    {"Copy", "vcopy", ""},
    {"CreateVecIndex", "vci vadds", "the first repeat counts, further ones add"},
    {"CrossCoreSetFlag", "cross_core_set_flag", ""},
    {"CrossCoreWaitFlag", "cross_core_wait_flag", ""},
    {"DataCopy",
     "copy_gm_to_ubuf copy_ubuf_to_gm copy_gm_to_l1_nd2nz copy_ubuf fixpipe_gm",
     "by where both tensors lie: GM to UB, UB to GM, GM to L1 (with Nd2NzParams nd2nz), UB to UB, L0C to GM"},
    {"DataCopyPad",
     "copy_gm_to_ubuf_align copy_ubuf_to_gm_align",
     "GM to UB, and UB to GM, of any number of bytes"},
    {"Div", "vdiv", ""},
    {"Duplicate", "vector_dup", ""},
    {"Exp", "vexp", ""},
    {"Fixpipe", "fixpipe_gm fixpipe_l1", "L0C to GM, and to L1"},
    {"FusedMulAdd", "vmadd", ""},
    {"FusedMulAddRelu", "vmaddrelu", ""},
    {"Gather", "vgather", ""},
    {"Gatherb", "vgatherb", ""},
    {"GatherMask", "vreducev2", ""},
    {"GetValue", "scalar_load scalar_buffer_load", "of a GlobalTensor, and of a LocalTensor"},
    {"InitConstValue", "fill_constant", ""},
    {"LeakyRelu", "vlrelu", ""},
    {"Ln", "vln", ""},
    {"LoadData", "load2d load2d_gm load2d_transpose load3d", "L1 to L0A or L0B, by its parameters"},
    {"LoadDataWithSparse", "load2d_sparse", ""},
    {"Max", "vmax", ""},
    {"Maxs", "vmaxs", ""},
    {"Min", "vmin", ""},
    {"Mins", "vmins", ""},
    {"Mmad", "mmad", ""},
    {"MrgSort", "vmrgsort4", ""},
    {"Mul", "vmul", ""},
    {"MulAddDst", "vmla", ""},
    {"Muls", "vmuls", ""},
    {"Neg", "vneg", ""},
    {"Not", "vnot", ""},
    {"Or", "vor", ""},
    {"PairReduceSum", "vcpadd", ""},
    {"PipeBarrier", "pipe_barrier pipe_barrier_all", "of a pipe, and of PIPE_ALL"},
    {"Reciprocal", "vrec", ""},
    {"ReduceMax", "vcmax", "several passes, by the number of repeats"},
    {"ReduceMin", "vcmin", "several passes, by the number of repeats"},
    {"ReduceSum", "vcadd", "several passes, by the number of repeats"},
    {"Relu", "vrelu", ""},
    {"Rsqrt", "vrsqrt", ""},
    {"Scatter", "vscatter", ""},
    {"Select", "vsel", ""},
    {"SetFlag", "set_flag", ""},
    {"SetValue", "scalar_store scalar_buffer_store", "of a GlobalTensor, and of a LocalTensor"},
    {"ShiftLeft", "vshl", ""},
    {"ShiftRight", "vshr vshr_round", "with rounding the second"},
    {"Sort32", "vbs32", ""},
    {"Sqrt", "vsqrt", ""},
    {"Sub", "vsub", ""},
    {"SubRelu", "vsubrelu", ""},
    {"SyncAll", "sync_all", ""},
    {"TransDataTo5HD", "vnchwconv", ""},
    {"Transpose", "vnchwconv", ""},
    {"WaitFlag", "wait_flag", ""},
    {"WholeReduceMax", "vcmax", ""},
    {"WholeReduceMin", "vcmin", ""},
    {"WholeReduceSum", "vcadd", ""},
    {"Xor", "vxor", ""},
    {"EnQue", "set_flag", "of a queue: the flag to the pipe that reads"},
    {"DeQue", "wait_flag", "of a queue: waits for the pipe that filled it"},
    {"AllocTensor", "wait_flag", "of a queue: waits until its reader has left the buffer"},
    {"FreeTensor", "set_flag", "of a queue: the flag to the pipe that fills"},
    {"RepeatReduceSum", "vcadd", ""},
}};

}  // namespace

std::span<const InterfaceCall> interface_calls() {
    return calls;
}

std::vector<std::string> calls_of(std::string_view instruction) {
    std::vector<std::string> names;
    for (const InterfaceCall& call : calls) {
        std::istringstream words{std::string{call.instructions}};
        for (std::string word; words >> word;) {
            if (word == instruction) {
                names.emplace_back(call.name);
            }
        }
    }
    return names;
}

}  // namespace ascendsim::cli
