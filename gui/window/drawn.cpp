// SPDX-License-Identifier: Apache-2.0
#include "gui/window/drawn.hpp"

#include <cstddef>
#include <cstring>

#include <imgui.h>

namespace ascendsim::gui {
namespace {

/// Mixes bytes into a number, a word at a time: a dense frame has some megabytes.
std::uint64_t mixed(std::uint64_t number, const void* bytes, std::size_t size) {
    constexpr std::uint64_t odd = 0x9e3779b97f4a7c15U;
    constexpr unsigned half = 32;
    const auto* from = static_cast<const unsigned char*>(bytes);
    while (size > 0) {
        std::uint64_t word = 0;
        const std::size_t taken = size < sizeof word ? size : sizeof word;
        std::memcpy(&word, from, taken);
        number = (number ^ word) * odd;
        number ^= number >> half;
        from += taken;
        size -= taken;
    }
    return number;
}

template <class T>
std::uint64_t mixed_value(std::uint64_t number, const T& value) {
    return mixed(number, &value, sizeof value);
}

template <class T>
std::uint64_t mixed_list(std::uint64_t number, const ImVector<T>& list) {
    return mixed(mixed_value(number, list.Size), list.Data, static_cast<std::size_t>(list.Size) * sizeof(T));
}

}  // namespace

std::uint64_t number_of_drawn(const ImDrawData& data) {
    std::uint64_t number = 1;
    number = mixed_value(number, data.DisplayPos);
    number = mixed_value(number, data.DisplaySize);
    for (int i = 0; i < data.CmdListsCount; ++i) {
        const ImDrawList& list = *data.CmdLists[i];
        number = mixed_list(number, list.VtxBuffer);
        number = mixed_list(number, list.IdxBuffer);
        for (const ImDrawCmd& command : list.CmdBuffer) {  // field by field: there are gaps between
            number = mixed_value(number, command.ClipRect);
            number = mixed_value(number, command.TextureId);
            number = mixed_value(number, command.VtxOffset);
            number = mixed_value(number, command.IdxOffset);
            number = mixed_value(number, command.ElemCount);
        }
    }
    return number;
}

}  // namespace ascendsim::gui
