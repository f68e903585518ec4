// SPDX-License-Identifier: Apache-2.0
#include "runtime/crashes/divide_fault.hpp"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace ascendsim::runtime {
namespace {

#if defined(__x86_64__)

/// A context about to execute `code` with RAX, RDX and RCX as given; RBX points to `memory`.
struct Machine {
    std::vector<std::uint8_t> code;
    std::vector<std::uint64_t> memory = std::vector<std::uint64_t>(64);
    ucontext_t context{};

    explicit Machine(std::vector<std::uint8_t> bytes) : code{std::move(bytes)} {
        code.resize(32);
        set(REG_RIP, reinterpret_cast<std::uint64_t>(code.data()));
        set(REG_RBX, reinterpret_cast<std::uint64_t>(memory.data()));
        set(REG_RAX, 0x1122334455667788);
        set(REG_RDX, 0x99);
    }

    void set(int number, std::uint64_t value) {
        context.uc_mcontext.gregs[number] = static_cast<greg_t>(value);
    }

    [[nodiscard]] std::uint64_t get(int number) const {
        return static_cast<std::uint64_t>(context.uc_mcontext.gregs[number]);
    }

    [[nodiscard]] std::uint64_t skipped() const {
        return get(REG_RIP) - reinterpret_cast<std::uint64_t>(code.data());
    }
};

TEST(DivideFault, By32BitRegisterClearsUpperHalves) {
    Machine machine{{0xF7, 0xF9}};  // idiv ecx
    ASSERT_TRUE(complete_division(machine.context));
    EXPECT_EQ(machine.skipped(), 2);
    EXPECT_EQ(machine.get(REG_RAX), 0);
    EXPECT_EQ(machine.get(REG_RDX), 0x55667788);
}

TEST(DivideFault, By64And16And8Bits) {
    Machine wide{{0x48, 0xF7, 0xF1}};  // div rcx
    ASSERT_TRUE(complete_division(wide.context));
    EXPECT_EQ(wide.get(REG_RDX), 0x1122334455667788);
    Machine narrow{{0x66, 0xF7, 0xF1}};  // div cx
    ASSERT_TRUE(complete_division(narrow.context));
    EXPECT_EQ(narrow.skipped(), 3);
    EXPECT_EQ(narrow.get(REG_RAX), 0x1122334455660000);
    EXPECT_EQ(narrow.get(REG_RDX), 0x7788);
    Machine byte{{0xF6, 0xF1}};  // div cl
    ASSERT_TRUE(complete_division(byte.context));
    EXPECT_EQ(byte.get(REG_RAX), 0x1122334455668800);  // AH: remainder, AL: quotient
}

TEST(DivideFault, MemoryOperandsHaveEveryForm) {
    const struct {
        std::vector<std::uint8_t> code;
        std::uint64_t length;
    } forms[]{
        {{0xF7, 0x3B}, 2},                                   // idiv dword [rbx]
        {{0xF7, 0x7B, 0x10}, 3},                             // idiv dword [rbx+16]
        {{0xF7, 0xBB, 0x20, 0, 0, 0}, 6},                    // idiv dword [rbx+32]
        {{0xF7, 0x3C, 0x8B}, 3},                             // idiv dword [rbx+rcx*4]
        {{0xF7, 0x7C, 0x8B, 0x08}, 4},                       // idiv dword [rbx+rcx*4+8]
        {{0x42, 0xF7, 0x3C, 0x03}, 4},                       // idiv dword [rbx+r8]
        {{0xF7, 0x3D, 0x04, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 6},  // idiv dword [rip+4], zeros behind
    };

    for (const auto& form : forms) {
        Machine machine{form.code};
        ASSERT_TRUE(complete_division(machine.context));
        EXPECT_EQ(machine.skipped(), form.length);
        EXPECT_EQ(machine.get(REG_RAX), 0);
        EXPECT_EQ(machine.get(REG_RDX), 0x55667788);
    }
}

TEST(DivideFault, OverflowWraps) {
    Machine machine{{0xF7, 0xF9}};
    machine.set(REG_RAX, 0x80000000);
    machine.set(REG_RDX, 0xFFFFFFFF);
    machine.set(REG_RCX, 0xFFFFFFFF);
    ASSERT_TRUE(complete_division(machine.context));
    EXPECT_EQ(machine.get(REG_RAX), 0x80000000);
    EXPECT_EQ(machine.get(REG_RDX), 0);
}

TEST(DivideFault, LeavesOtherInstructionsAlone) {
    for (const std::vector<std::uint8_t>& code :
         {std::vector<std::uint8_t>{0x90}, {0xF7, 0xD8}, {0xF7, 0xE1}}) {  // nop, neg, mul
        Machine machine{code};
        EXPECT_FALSE(complete_division(machine.context));
        EXPECT_EQ(machine.skipped(), 0);
    }
}

#endif

}  // namespace
}  // namespace ascendsim::runtime
