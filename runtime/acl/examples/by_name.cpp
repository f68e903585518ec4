// SPDX-License-Identifier: Apache-2.0
// A host program whose kernel is in another file and launched by its name; by_name.toml names both:
//   ascendsim run by_name.cpp
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "aclrtlaunch_scale_vector.h"

int main() {
    constexpr uint32_t n = 1024;
    constexpr size_t bytes = n * sizeof(float);
    std::vector<float> values(n, 3.0F);
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtStream stream = nullptr;
    aclrtCreateStream(&stream);
    void* memory = nullptr;
    aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemcpy(memory, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    // The kernel takes an unsigned and a float: an int and a double become those.
    ACLRT_LAUNCH_KERNEL(scale_vector)(4, stream, memory, int{n}, 2.0);
    aclrtSynchronizeStream(stream);
    aclrtMemcpy(values.data(), bytes, memory, bytes, ACL_MEMCPY_DEVICE_TO_HOST);
    int wrong = 0;
    for (const float value : values) {
        wrong += value != 6.0F ? 1 : 0;
    }
    std::printf("%d of %u wrong\n", wrong, n);
    aclrtFree(memory);
    aclrtDestroyStream(stream);
    aclFinalize();
    return wrong == 0 ? 0 : 1;
}
