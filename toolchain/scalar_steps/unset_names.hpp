// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Type.h>

/// A variable of the kernel's, or a member of one.
struct UnsetPlace {
    std::string object;  // its type; empty for a number or an address
    std::uint64_t begin = 0;
    std::uint64_t end = 0;  // bytes of the object
};

constexpr const char* unset_prefix = "ascendsim_unset:";
/// Marks a store of one number that stands in the kernel's text: no part of a copied object.
constexpr const char* scalar_store = "ascendsim_scalar";

/// The global whose content stands for what is not set there: nobody defines it, so that the optimiser knows
/// nothing of it. Each type has one of its own.
inline std::string unset_name(const UnsetPlace& place, const llvm::Type& type) {
    const char kind = type.isPointerTy() ? 'p' : type.isFloatingPointTy() ? 'f' : 'i';
    return unset_prefix + std::to_string(place.begin) + ":" + std::to_string(place.end) + ":" + kind + ":" +
           place.object;
}

/// The words of a finding for such a name.
inline std::string unset_words(llvm::StringRef name) {
    name.consume_front(unset_prefix);
    const auto [begin, rest] = name.split(':');
    const auto [end, kind_and_object] = rest.split(':');
    const llvm::StringRef object = kind_and_object.split(':').second;
    return object.empty()
               ? std::string{"a variable of its own"}
               : "bytes [" + begin.str() + ", " + end.str() + ") of its object of type " + object.str();
}

/// What stands in a variable that was not set: no number that kernels are likely to compute. As a count of
/// rounds it comes to an end.
inline std::uint64_t unset_bits(const llvm::Type& type) {
    constexpr std::uint64_t number = 0x00A5C37E;
    constexpr std::uint64_t byte = 0xA5;  // no truth value
    constexpr std::uint64_t half = 0xA5C3;
    constexpr std::uint64_t nan = 0x7FE5C37E;
    constexpr std::uint64_t double_nan = 0x7FF5C37EA5C37E00;
    if (type.isFloatTy()) {
        return nan;
    }
    if (type.isDoubleTy()) {
        return double_nan;
    }
    return type.isIntegerTy(8) ? byte : type.isIntegerTy(16) ? half : number;
}

/// Whether memory of a type says of itself that it was not set: a number of less than 32 bits may be any.
inline bool says_unset(const llvm::Type& type) {
    return type.isIntegerTy(32) || type.isIntegerTy(64) || type.isFloatTy() || type.isDoubleTy() ||
           type.isPointerTy();
}
