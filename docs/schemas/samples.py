# SPDX-License-Identifier: Apache-2.0
"""The files that outputs for the schemas are made of, as small as they show what a command may print."""
import struct

# A problem with a schedule that can be searched.
SMALL = """
[scenario]
title = "small"
kernel = "add"
chip = "910b3"
mode = "{mode}"
[kernel]
shape = [64, 4096]
blocks = 4
tile = 2048
[expect]
time_us = {{ max = 1000 }}
[tune]
"kernel.buffers" = [1, 2]
"""

# Of a kernel without numbers; each adds what it is about.
TIMED = """
[scenario]
title = "timed"
kernel = "add"
chip = "910b3"
mode = "timing"
[kernel]
shape = [64, 4096]
blocks = 2
tile = 2048
buffers = 1
"""

FILES = {
    "functional.toml": SMALL.format(mode="functional"),
    "timing.toml": SMALL.format(mode="timing"),
    "product.toml": """
[scenario]
title = "product"
kernel = "matmul"
chip = "910b3"
mode = "timing"
[kernel]
m = 256
n = 256
k = 256
""",
    "variants.toml": TIMED + """
[variants]
"kernel.buffers" = [1, 2]
""",
    # Whose best choice is another one than its own.
    "tunable.toml": TIMED.replace("tile = 2048\n", "") + """
[tune]
"kernel.blocks" = [2, 4]
"kernel.buffers" = [1, 2]
""",
    "broken.toml": """
[scenario]
title = "broken"
kernel = "add"
chop = "910b3"
""",

    # A race, and then a flag that nobody sets: findings, and a recording that is not complete.
    "stuck.toml": """
[scenario]
title = "stuck"
source = "stuck.cpp"
chip = "910b3"
[launch]
entry = "stuck"
blocks = 1
[[args]]
name = "x"
type = "float16"
shape = [2048]
[[args]]
name = "z"
role = "output"
type = "float16"
shape = [2048]
""",
    "stuck.cpp": """#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void stuck(GM_ADDR x, GM_ADDR z) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 4096);
    LocalTensor<half> part = buffer.Get<half>();
    GlobalTensor<half> from, to;
    from.SetGlobalBuffer((__gm__ half*)x);
    to.SetGlobalBuffer((__gm__ half*)z);
    DataCopy(part, from, 2048);
    Adds(part, part, (half)1, 2048);
    DataCopy(to, part, 2048);
    WaitFlag<HardEvent::MTE3_V>(EVENT_ID0);
}
""",

    "nothing.cpp": """#include "kernel_operator.h"
extern "C" __global__ __aicore__ void nothing(GM_ADDR x) {}
""",
    "main.cpp": """#include "acl/acl.h"
#include "kernel_operator.h"
extern "C" __global__ __aicore__ void nothing(GM_ADDR x) {}
int main() {
    aclInit(nullptr);
    return aclFinalize();
}
""",
    # Of a suite: a launch of the kernel that `ascendsim new` writes.
    "test_add.py": """
import ascendsim
import numpy as np


def test_add():
    x = np.ones((8, 8192), np.float16)
    z = np.empty_like(x)
    assert ascendsim.run("made.cpp", x, x, x.size, 2048, out=z, blocks=4, expect=x + x).passed
""",

    # One claim is beyond what can be, one is right, and of a scenario's own one nothing is known before it runs.
    "claims.toml": """
title = "claims"
chip = "910b3"
[facts]
flops = 4e12
[[claims]]
what = "faster than the peak"
source = "nobody"
value = 1
unit = "ms"
bound = "flops / (chip.peak_tflops * 1e12) * 1e3"
[[claims]]
what = "a sum"
value = 3
equals = "1 + 2"
""",
    "claimed.toml": TIMED + """
[[claims]]
what = "its time"
value = 1
unit = "us"
quantity = "time_us"
""",

    # A tile of 33 elements is refused; no case keeps the limit.
    "benchmark.toml": TIMED + """
[benchmark]
warm_up = 0
active = 3
items = "kernel.shape[0]"
over = "kernel.tile"
values = [2048, 33]
expect = { "iteration_us.p50" = { max = 0.001 } }
[benchmark.jitter]
distribution = "lognormal"
spread = 0.2
""",
    "step.toml": """
[step]
title = "step"
node = "atlas800t_a2"
chip = "910b3"
ranks = 2
[[task]]
kind = "copy"
name = "input"
stream = "input"
bytes = 16777216
[[task]]
name = "sum"
kernel = "elementwise"
knobs = { op = "add", shape = [64, 2048], shape1 = [2048] }
times = 2
after = ["input"]
[[task]]
name = "update"
us = 25
[[task]]
kind = "collective"
name = "gradients"
stream = "communication"
collective = "all_reduce"
bytes = 33554432
after = ["update"]
[[task]]
kind = "sync"
""",

    # As the vendor's profiler writes it: an operator that is simulated, and one that nobody knows.
    "kernel_details.csv": """Step Id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Block Dim,Input Shapes,Input Data Types,Input Formats,Output Shapes,Output Data Types,Output Formats
1,aclnnAdd_Add,Add,AI_VECTOR_CORE,1000,8.5,8,\"\"\"8,2048;8,2048\"\"\",FLOAT16;FLOAT16,ND;ND,\"\"\"8,2048\"\"\",FLOAT16,ND
1,aclnnUnheard,Unheard,AI_VECTOR_CORE,1020,4.5,8,\"\"\"8,2048\"\"\",FLOAT16,ND,\"\"\"8,2048\"\"\",FLOAT16,ND
""",

    "network.onnxtxt": """<ir_version: 8, opset_import: ["" : 17]>
network (float[N,16] x, float[16,16] weights_0, float[16] weights_1) => (float[N,16] y) {
  m = MatMul(x, weights_0)
  s = Add(m, weights_1)
  y = Relu(s)
}
""",
    # Two kernels have a use for what a third makes, and a product is no loop over elements.
    "forked.onnxtxt": """<ir_version: 8, opset_import: ["" : 17]>
forked (float[N,16] x, float[16,16] weights_0, float[16,16] weights_1) => (float[N,16] y, float[N,16] z) {
  m = MatMul(x, weights_0)
  n = Neg(m)
  a = MatMul(n, weights_1)
  y = Relu(a)
  z = Abs(n)
}
""",
    # No kernel does its last operator, and nothing can be trained.
    "refused.onnxtxt": """<ir_version: 8, opset_import: ["" : 17]>
refused (float[N,16] x) => (int32[N,1] y) {
  n = Neg(x)
  y = Multinomial<sample_size = 1>(n)
}
""",
    # A test of ONNX's form, whose network is [4] x -> Relu -> y, as protocol buffers.
    "conformance/test_relu/model.onnx": b'\x08\x08:6\n\x0c\n\x01x\x12\x01y"\x04Relu\x12\x04relu'
                                        b"Z\x0f\n\x01x\x12\n\n\x08\x08\x01\x12\x04\n\x02\x08\x04"
                                        b"b\x0f\n\x01y\x12\n\n\x08\x08\x01\x12\x04\n\x02\x08\x04B\x02\x10\x11",
    "conformance/test_relu/test_data_set_0/input_0.pb": b"\x08\x04\x10\x01B\x01xJ\x10" + struct.pack("<4f", -1, 0, 1, 2),
    "conformance/test_relu/test_data_set_0/output_0.pb": b"\x08\x04\x10\x01B\x01yJ\x10" + struct.pack("<4f", 0, 0, 1, 2),

    "training.toml": """
[training]
title = "training"
network = "network.onnxtxt"
node = "atlas800t_a2"
devices = 2
batch = 2
optimizer = "sgd"
loss = "sum"
scaling = [1, 2]
[[rung]]
name = "graph"
set = ["training.mode=graph"]
[[rung]]
name = "more stages than devices"
set = ["training.pipeline=7"]
""",
    "inputs.toml": """
[training]
title = "inputs of the host"
network = "network.onnxtxt"
node = "atlas800t_a2"
devices = 2
batch = 2
tokens = 8
optimizer = "sgd"
loss = "sum"
[input]
workers = 2
sample_us = 100
sample_kb = 301
queue = 4
""",
    "model.json": """{
  "model_type": "qwen3", "num_hidden_layers": 2, "hidden_size": 256, "intermediate_size": 512,
  "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 64, "vocab_size": 1000
}
""",
    "serving.toml": """
[serve]
title = "serving"
model = "model.json"
node = "atlas800t_a2"
mode = "queue"
[speculation]
drafted = 2
acceptance = 0.5
[requests]
count = 2
prompt = 40
output = 2
[[rung]]
name = "a graph"
set = ["serve.mode=graph"]
[[rung]]
name = "more devices than there are"
set = ["layout.tensor=64"]
""",

    # A library of one operator, whose example does not compile.
    "library/maximum/op_host/maximum_def.cpp": """#include <register/op_def_registry.h>
#include <register/op_impl_registry.h>
namespace optiling {
static ge::graphStatus Tile(gert::TilingContext* context) {
    *context->GetTilingData<uint64_t>() = context->GetInputShape(0)->GetStorageShape().GetShapeSize();
    context->SetBlockDim(1);
    return ge::GRAPH_SUCCESS;
}
}
namespace ops {
static ge::graphStatus Infer(gert::InferShapeContext* context) {
    *context->GetOutputShape(0) = *context->GetInputShape(0);
    return ge::GRAPH_SUCCESS;
}
IMPL_OP_INFERSHAPE(Maximum).InferShape(Infer);
class Maximum : public OpDef {
public:
    explicit Maximum(const char* name) : OpDef(name) {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT16});
        this->Input("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT16});
        this->Output("z").ParamType(REQUIRED).Follow("x");
        this->Attr("rounds").AttrType(OPTIONAL).Int(1);
        this->AICore().SetTiling(optiling::Tile);
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(Maximum);
}
""",
    "library/maximum/op_kernel/maximum.cpp": """#include <kernel_operator.h>
using namespace AscendC;
extern "C" __global__ __aicore__ void maximum(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    const uint64_t count = *(__gm__ uint64_t*)tiling;
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 2 * count * sizeof(half));
    LocalTensor<half> a = buffer.Get<half>();
    LocalTensor<half> b = a[count];
    GlobalTensor<half> first, second, result;
    first.SetGlobalBuffer((__gm__ half*)x);
    second.SetGlobalBuffer((__gm__ half*)y);
    result.SetGlobalBuffer((__gm__ half*)z);
    DataCopy(a, first, count);
    DataCopy(b, second, count);
    PipeBarrier<PIPE_ALL>();
    Max(a, a, b, count);
    PipeBarrier<PIPE_ALL>();
    DataCopy(result, a, count);
}
""",
    "library/maximum/examples/test_aclnn_maximum.cpp": "#error of another machine\n",

    # In the form of scenarios/measurements, with figures that nobody measured: a time with one of its pipes, work that was
    # measured twice and is an operator of the library, one that the library's does not fit, a type that is not stated, a
    # kernel that nobody knows, a chip that is not modelled, and known sources.
    "rows.csv": """id,source,chip,kernel,shape,dtype,metric,value,unit,cores,notes,reliability
VEC-001,nobody,"910B1 (Atlas A2, 1.85 GHz)",Gelu,512x512,fp16 in->fp32,task_duration,9,us,48,,high
VEC-001.1,nobody,"910B1 (Atlas A2, 1.85 GHz)",Gelu,512x512,fp16 in->fp32,aiv_vec_time,6,us,48,breakdown of VEC-001,high
VEC-002,nobody,910B2 (1.8 GHz),maximum,64x64; 64x64,fp16,kernel_time,4,us,n/s,Maximum,high
VEC-003,nobody,910B2 (1.8 GHz),maximum,64x64; 64x64,fp16,kernel_time,5,us,n/s,Maximum,high
VEC-004,nobody,910B2 (1.8 GHz),maximum,64x64; 64x64; 64x64,fp16,kernel_time,4,us,n/s,Maximum,high
VEC-005,nobody,910B2 (1.8 GHz),sigmoid,64x64,n/s,kernel_time,4,us,n/s,Sigmoid,high
VEC-006,nobody,910B2 (1.8 GHz),unheard,64x64,fp16,kernel_time,4,us,n/s,,high
VEC-007,nobody,a chip,Gelu,512x512,fp16,kernel_time,4,us,n/s,,high
VEC-008,asc-devkit examples/01_simd_cpp_api,"910B1 (Atlas A2, 1.85 GHz)",Gelu,512x512,fp16 in->fp32,task_duration,9,us,48,,high
GEMM-001,asc-devkit examples/01_simd_cpp_api,910B2 (1.8 GHz),Matmul,M256 N256 K256,fp16,task_duration,9,us,1,,high
""",
    "machines.csv": """id,category,chip,devices,software,workload,shape,metric,value,unit,source,reliability,notes
HC-0001,collective,910C die (A3),16 dies,CANN 8.5,HCCL allGather,1.3 MB,hccl bench time,176.7,us,nobody,high,
HC-0002,collective,910C die (A3),16 dies,CANN 8.5,HCCL unheard,1.3 MB,hccl bench time,176.7,us,nobody,high,
""",
}
