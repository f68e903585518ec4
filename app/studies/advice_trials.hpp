// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "app/analysis/advice/explain.hpp"
#include "app/studies/batch.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::study {

/// How much of advice is run.
enum class Trying : std::uint8_t {
    cheap,  // a run of few instructions: its settings and its causes
    all,    // a run of any length, which the user asked for
};

/// Gives each advice the run without its cause. What no advice names though the run without it is shorter
/// becomes one, unless another run took away the same costs and is told.
void give_causes(const std::vector<analysis::CauseTrial>& trials,
                 analysis::Explanation& explanation,
                 const record::Recording& recording);

/// Runs what advice recommends, each setting by itself, where one gains those further that way until none
/// gains more (twelve such runs at most), and for each cause the run without it: with the resource behind it
/// as fast as can be. Advice is then what these runs say, in the order of order_advice(), with the causes
/// that only a re-run finds. The scenario must still be where the recording says, and running it again must
/// give the same cycles. Otherwise no advice has a trial, and what it says stays an estimate.
void try_advice(analysis::Explanation& explanation,
                const record::Recording& recording,
                const toolchain::Installation& installation,
                const BatchOptions& options,
                Trying trying = Trying::cheap);

}  // namespace ascendsim::study
