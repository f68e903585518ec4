// SPDX-License-Identifier: Apache-2.0
#include "runtime/crashes/divide_fault.hpp"

#include <cstdint>
#include <cstring>

namespace ascendsim::runtime {

#if defined(__x86_64__)
namespace {

constexpr int general_registers[16]{REG_RAX,
                                    REG_RCX,
                                    REG_RDX,
                                    REG_RBX,
                                    REG_RSP,
                                    REG_RBP,
                                    REG_RSI,
                                    REG_RDI,
                                    REG_R8,
                                    REG_R9,
                                    REG_R10,
                                    REG_R11,
                                    REG_R12,
                                    REG_R13,
                                    REG_R14,
                                    REG_R15};

/// A DIV or IDIV instruction: opcode F6 or F7, /6 or /7 [Intel SDM, volume 2, DIV and IDIV].
struct Division {
    unsigned width = 4;  // bytes of quotient and remainder
    std::uint64_t divisor = 0;
    unsigned length = 0;  // of the instruction
};

/// Reads an instruction byte by byte.
class Decoder {
public:
    explicit Decoder(const ucontext_t& context)
        : context_{context},
          start_{reinterpret_cast<const std::uint8_t*>(context.uc_mcontext.gregs[REG_RIP])},
          at_{start_} {}

    bool decode(Division& division) {
        prefixes();
        const std::uint8_t opcode = *at_++;
        if (opcode != 0xF6 && opcode != 0xF7) {
            return false;
        }
        const unsigned modrm = *at_++;
        const unsigned operation = (modrm >> 3U) & 7U;
        if (operation != 6 && operation != 7) {
            return false;
        }
        division.width = opcode == 0xF6 ? 1U : (rex_ & 8U) != 0 ? 8U : operand16_ ? 2U : 4U;
        division.divisor = operand(modrm, division.width);
        division.length = static_cast<unsigned>(at_ - start_);
        return true;
    }

private:
    void prefixes() {
        for (;; ++at_) {
            const std::uint8_t byte = *at_;
            if ((byte & 0xF0U) == 0x40) {
                rex_ = byte;
            } else if (byte == 0x66) {
                operand16_ = true;
            } else if (byte != 0xF2 && byte != 0xF3 && byte != 0x2E && byte != 0x3E) {
                return;
            }
        }
    }

    [[nodiscard]] std::uint64_t value_of(unsigned number) const {
        return static_cast<std::uint64_t>(context_.uc_mcontext.gregs[general_registers[number]]);
    }

    template <class T>
    std::int64_t displacement() {
        T value{};
        std::memcpy(&value, at_, sizeof value);
        at_ += sizeof value;
        return value;
    }

    std::uint64_t operand(unsigned modrm, unsigned width) {
        const unsigned mode = modrm >> 6U;
        const unsigned base = (modrm & 7U) | ((rex_ & 1U) << 3U);
        std::uint64_t value = 0;
        if (mode == 3) {
            const bool high_byte = width == 1 && rex_ == 0 && base >= 4;  // AH, CH, DH, BH
            value = high_byte ? value_of(base - 4) >> 8U : value_of(base);
            return width == 8 ? value : value & ((std::uint64_t{1} << (8 * width)) - 1);
        }
        const std::uint64_t address = effective_address(mode, modrm & 7U);
        std::memcpy(&value, reinterpret_cast<const void*>(address), width);
        return value;
    }

    std::uint64_t effective_address(unsigned mode, unsigned low) {
        std::uint64_t address = 0;
        bool relative = false;
        bool wide = mode == 2;
        if (low == 4) {
            const unsigned sib = *at_++;
            const unsigned index = ((sib >> 3U) & 7U) | ((rex_ & 2U) << 2U);
            const unsigned base = (sib & 7U) | ((rex_ & 1U) << 3U);
            address = index == 4 ? 0 : value_of(index) << (sib >> 6U);
            if ((sib & 7U) == 5 && mode == 0) {
                wide = true;
            } else {
                address += value_of(base);
            }
        } else if (low == 5 && mode == 0) {
            relative = wide = true;
        } else {
            address = value_of(low | ((rex_ & 1U) << 3U));
        }
        const std::int64_t offset = wide        ? displacement<std::int32_t>()
                                    : mode == 1 ? displacement<std::int8_t>()
                                                : 0;
        const auto next = reinterpret_cast<std::uint64_t>(at_);
        return address + static_cast<std::uint64_t>(offset) + (relative ? next : 0);
    }

    const ucontext_t& context_;
    const std::uint8_t* start_;
    const std::uint8_t* at_;
    unsigned rex_ = 0;
    bool operand16_ = false;
};

/// Writes `value` as the low `width` bytes of a register; 4 bytes clear the upper half, as the processor
/// does.
void write_register(ucontext_t& context, int number, std::uint64_t value, unsigned width) {
    auto& target = context.uc_mcontext.gregs[number];
    if (width >= 4) {
        target = static_cast<greg_t>(width == 4 ? value & 0xFFFFFFFFU : value);
        return;
    }
    const std::uint64_t mask = (std::uint64_t{1} << (8 * width)) - 1;
    target = static_cast<greg_t>((static_cast<std::uint64_t>(target) & ~mask) | (value & mask));
}

}  // namespace

bool complete_division(ucontext_t& context) {
    Division division;
    if (!Decoder{context}.decode(division)) {
        return false;
    }
    const auto dividend = static_cast<std::uint64_t>(context.uc_mcontext.gregs[REG_RAX]);
    const std::uint64_t quotient = division.divisor == 0 ? 0 : dividend;  // otherwise -2^n / -1, which wraps
    const std::uint64_t remainder = division.divisor == 0 ? dividend : 0;
    if (division.width == 1) {
        const std::uint64_t both = (quotient & 0xFFU) | ((remainder & 0xFFU) << 8U);
        write_register(context, REG_RAX, both, 2);
    } else {
        write_register(context, REG_RAX, quotient, division.width);
        write_register(context, REG_RDX, remainder, division.width);
    }
    context.uc_mcontext.gregs[REG_RIP] += division.length;
    return true;
}

#else

// Elsewhere (AArch64) integer division by zero yields 0 without a fault, as on the chip.
bool complete_division(ucontext_t& /*context*/) {
    return false;
}

#endif

}  // namespace ascendsim::runtime
