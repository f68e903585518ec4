// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/config/text_mutation.hpp"

namespace fuzz {

/// Small recordings of each thing a recording may hold.
[[nodiscard]] std::vector<std::string> recording_seeds();

/// The bytes with the checksum of each frame put right, so that what it holds is looked at.
[[nodiscard]] std::string with_checksums(std::string bytes);

/// A recording in which one frame's JSON is another: a value of another type, a key that is missing or new,
/// deep brackets, or damaged text.
[[nodiscard]] std::string with_changed_json(const std::string& bytes, ascendsim::TextMutation& random);

}  // namespace fuzz
