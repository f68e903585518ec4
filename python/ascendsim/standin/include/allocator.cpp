// SPDX-License-Identifier: Apache-2.0
// Lets PyTorch's CPU tensors lie in the memory that the simulator shares.
#include <cstddef>
#include <new>

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>

extern "C" void* ascendsim_allocate(size_t bytes);
extern "C" void ascendsim_release(void* pointer);

namespace {

void give_back(void* pointer) {
    if (pointer != nullptr) {
        ascendsim_release(pointer);
    }
}

class SharedMemory final : public c10::Allocator {
public:
    c10::DataPtr allocate(size_t bytes) ASCENDSIM_CONST override {
        void* memory = bytes == 0 ? nullptr : ascendsim_allocate(bytes);
        if (memory == nullptr && bytes != 0) {
            throw std::bad_alloc{};
        }
        return {memory, memory, &give_back, c10::Device{c10::DeviceType::CPU}};
    }

    c10::DeleterFnPtr raw_deleter() const override { return &give_back; }
#ifdef ASCENDSIM_COPIES
    void copy_data(void* to, const void* from, std::size_t bytes) const override {
        default_copy_data(to, from, bytes);
    }
#endif
};

}  // namespace

extern "C" void ascendsim_take_allocations() {
    static SharedMemory memory;
    c10::SetCPUAllocator(&memory, 1);
}
