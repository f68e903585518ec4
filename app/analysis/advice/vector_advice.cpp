// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/advice/vector_advice.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>

#include <fmt/format.h>

#include "app/analysis/file_name.hpp"
#include "models/isa/vector/vector_cost.hpp"

namespace ascendsim::analysis {

namespace {

using nlohmann::json;
using enum Turn;

constexpr double least_loss = 0.01;  // of the unit's busy cycles

/// "reduce.cpp:42", empty where the line is not known.
std::string place_of(const record::Recording& recording, std::uint32_t site) {
    const std::string place = place_text(recording, site);
    return place.empty() ? std::string{} : " at " + place;
}

/// Cycles a repeat of the instruction takes with operands of `width` bytes.
double slope_of(const ChipNumbers& chip, std::string_view instruction, std::uint32_t width) {
    const auto cost = isa::vector_cost_of(instruction);
    return cost ? chip.number(
                      fmt::format("vector.{}.{}", cost->name, width <= 2 ? "repeat_b16" : "repeat_b32"), 1)
                : 1.0;
}

const VectorUse& most_of(const VectorUses& uses, VectorLoss loss) {
    return *std::ranges::max_element(uses.uses, {}, [loss](const VectorUse& use) { return use[loss]; });
}

/// The interface's name of what adds halves, and of the reduction of blocks.
struct Halving {
    std::string_view instruction;
    std::string_view halves;
    std::string_view halves_instruction;
    std::string_view blocks;
    std::string_view blocks_instruction;
};

constexpr std::array<Halving, 3> halvings{{
    {"vcadd", "Add", "vadd", "BlockReduceSum", "vcgadd"},
    {"vcmax", "Max", "vmax", "BlockReduceMax", "vcgmax"},
    {"vcmin", "Min", "vmin", "BlockReduceMin", "vcgmin"},
}};

/// The faster way to a reduction of whole repeats, by what the chip's instructions cost.
std::string reduction_form(const VectorUse& use, const ChipNumbers& chip) {
    const auto* const known = std::ranges::find(halvings, use.instruction, &Halving::instruction);
    const double whole = slope_of(chip, known->instruction, use.width);
    const double halves = slope_of(chip, known->halves_instruction, use.width);
    const double blocks = slope_of(chip, known->blocks_instruction, use.width);
    std::string text = fmt::format(
        "Reducing whole repeats ({}) takes {:.3g} cycles a repeat, {} takes {:.3g}: combine the halves of "
        "each row "
        "with {} until one repeat of it is left, and reduce only that",
        known->instruction,
        whole,
        known->halves,
        halves,
        known->halves);
    if (2 * blocks < whole) {
        text += fmt::format("; {} takes {:.3g} where rows are short", known->blocks, blocks);
    }
    return text;
}

std::string slow_form(const VectorUse& use, const ChipNumbers& chip) {
    if (std::ranges::find(halvings, use.instruction, &Halving::instruction) != halvings.end()) {
        return reduction_form(use, chip);
    }
    const double slope = slope_of(chip, use.instruction, use.width);
    const std::string head = fmt::format("{} takes {:.3g} cycles a repeat: ", use.instruction, slope);
    const auto cost = isa::vector_cost_of(use.instruction);
    const std::string_view group = cost ? cost->name : std::string_view{};
    if (group == "reduce_block") {
        return head +
               "combine the halves of each row with Add, Max or Min first (1 cycle a repeat), or reduce in "
               "float, of which a repeat takes 1";
    }
    if (group == "div") {
        return head +
               "multiply by Reciprocal, or by the inverse of a scalar (Muls), where precision allows: both "
               "together take 2";
    }
    if (group == "sqrt") {
        return head + "Rsqrt and Mul together take 2 where precision allows";
    }
    if (group == "gather" || group == "scatter" || group == "gather_mask") {
        return head +
               "let copies bring rows in the order they are needed (DataCopy with a stride, DataCopyPad), or "
               "move whole blocks (Copy, Gatherb), instead of picking elements";
    }
    if (group == "multiply_add") {
        return head +
               "Mul and Add together take 2 where two roundings do no harm, and FusedMulAdd, with the "
               "destination "
               "on a source, takes 1";
    }
    return head + "no other form is faster, so only fewer elements through it help";
}

std::string_view operand_word(const json& conflict) {
    const std::string operands = conflict.value("operands", std::string{});
    return operands == "sources"       ? "both sources"
           : operands == "destination" ? "destination and a source"
           : operands == "stride"      ? "one operand's own blocks"
                                       : "operands";
}

/// The worst place of bank conflicts, with the operands that collide.
std::string collision_of(const record::Recording& recording) {
    const json& totals = recording.totals();
    const json places = totals.is_object() ? totals.value("bank_conflicts", json::array()) : json::array();
    if (places.empty() || !places.front().is_object()) {
        return {};
    }
    const json& worst = places.front();
    const std::string operands = worst.value("operands", std::string{});
    std::string text = fmt::format("; most at {} in {}:{}, where {} meet",
                                   worst.value("instruction", std::string{}),
                                   worst.value("file", std::string{}),
                                   worst.value("line", 0U),
                                   operand_word(worst));
    if (operands == "sources" || operands == "destination") {
        text += fmt::format(" (in UB destination at {}, sources at {} and {})",
                            worst.value("dst", 0U),
                            worst.value("source0", 0U),
                            worst.value("source1", 0U));
    }
    return text;
}

Remedy against_conflicts(const VectorUses& uses, const record::Recording& recording) {
    const double share = uses[VectorLoss::conflicts] / uses.all();
    const json& totals = recording.totals();
    const json places = totals.is_object() ? totals.value("bank_conflicts", json::array()) : json::array();
    const bool stride = !places.empty() && places.front().is_object() &&
                        places.front().value("operands", std::string{}) == "stride";
    // A repeat reads 8 of the 16 groups of 32 B (models/isa/vector/bank_conflict.hpp), so half a round keeps
    // two operands apart.
    return {
        fmt::format(
            "Bank conflicts take {:.0f} % of vector's time: {}",
            share * 100,
            stride ? "pad each row of the strided operand by 32 B, so that its blocks fall into different "
                     "bank groups"
                   : "shift one operand of each instruction by 256 B, since bank groups repeat every 512 B"),
        Reach::size,
        {{"spread", up}},
        true};
}

/// Against a mask that is set anew: each call with a count or a mask of its own sets it.
Remedy against_mask_changes(const VectorUse& most, const VectorUses& uses) {
    std::uint64_t changes = 0;
    std::uint64_t all = 0;
    for (const VectorUse& use : uses.uses) {
        changes += use.new_masks;
        all += use.count;
    }
    return {
        fmt::format("Setting the mask empties the vector unit ({} of {} instructions, {:.3g} cycles each, "
                    "mean {:.3g} repeats): set it once for many (SetVectorMask, then calls with "
                    "isSetMask = false), or work on whole repeats, more of them in one instruction",
                    changes,
                    all,
                    uses[VectorLoss::mask_changes] / static_cast<double>(std::max<std::uint64_t>(1, changes)),
                    most.repeats / static_cast<double>(std::max<std::uint64_t>(1, most.count))),
        Reach::size,
        {{"tile", up}, {"tile_m", up}, {"vector_rows", up}, {"chunk", up}}};
}

Remedy remedy_against(VectorLoss loss,
                      const VectorUses& uses,
                      const record::Recording& recording,
                      const ChipNumbers& chip) {
    const VectorUse& most = most_of(uses, loss);
    switch (loss) {
        case VectorLoss::wide_type:
            return {
                fmt::format(
                    "Elements of {} B fill a repeat sooner than those of the data's type: cast fewer of the "
                    "passes up, or compute in the narrower type where precision allows (casts and slow "
                    "instructions become fewer, too)",
                    most.width),
                Reach::problem};
        case VectorLoss::form:
            return {slow_form(most, chip)};
        case VectorLoss::masks:
            return {
                fmt::format("{:.0f} % of the lanes take no part in {}: let each repeat be full (a count over "
                            "whole tiles, rows padded to 256 B, several short rows in one instruction)",
                            100 * most[loss] / std::max(1.0, most.all()),
                            most.instruction),
                Reach::size,
                {{"tile", up}, {"tile_m", up}, {"vector_rows", up}, {"chunk", up}}};
        case VectorLoss::mask_changes:
            return against_mask_changes(most, uses);
        case VectorLoss::start_up:
            return {fmt::format(
                        "Vector instructions are short (mean {:.3g} repeats): let one instruction work on "
                        "several rows (its repeat times, or a longer count)",
                        most.repeats / static_cast<double>(std::max<std::uint64_t>(1, most.count))),
                    Reach::size,
                    {{"tile", up}, {"tile_m", up}, {"vector_rows", up}, {"chunk", up}}};
        case VectorLoss::conflicts:
            return against_conflicts(uses, recording);
        case VectorLoss::none:
            break;
    }
    return {};
}

/// "vector's time: 22 % at full rate, 60 % slow instructions, …".
std::string split_of(const VectorUses& uses) {
    std::string text;
    for (std::size_t loss = 0; loss < uses.cycles.size(); ++loss) {
        const double share = uses.cycles[loss] / uses.all();
        if (share >= least_loss || loss == 0) {
            text +=
                fmt::format("{}{:.0f} % {}", text.empty() ? "" : ", ", share * 100, vector_loss_names[loss]);
        }
    }
    return text;
}

}  // namespace

std::vector<VectorRemedy> vector_remedies(const VectorUses& uses,
                                          const record::Recording& recording,
                                          const ChipNumbers& chip) {
    std::vector<VectorRemedy> result;
    if (uses.uses.empty() || uses.all() <= 0) {
        return result;
    }
    for (std::size_t number = 1; number < uses.cycles.size(); ++number) {
        const auto loss = static_cast<VectorLoss>(number);
        const double share = uses[loss] / uses.all();
        if (share < least_loss) {
            continue;
        }
        const VectorUse& most = most_of(uses, loss);
        std::string evidence = fmt::format("the vector unit's time is {}; most of the {} is {}{}",
                                           split_of(uses),
                                           name(loss),
                                           most.instruction,
                                           place_of(recording, most.site));
        evidence += loss == VectorLoss::conflicts ? collision_of(recording) : std::string{};
        result.push_back({.loss = loss,
                          .remedy = remedy_against(loss, uses, recording, chip),
                          .evidence = std::move(evidence),
                          .share = share,
                          .op = most.op,
                          .site = most.site});
    }
    std::ranges::stable_sort(result, std::ranges::greater{}, &VectorRemedy::share);
    return result;
}

}  // namespace ascendsim::analysis
