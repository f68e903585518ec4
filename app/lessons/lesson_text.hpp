// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/lessons/lesson.hpp"

namespace ascendsim::lessons {

/// A lesson for a terminal, and how a run with these figures stands to it: what to understand, the task, the
/// goals with what they are now, and hints; once all goals are met, what to see.
[[nodiscard]] std::string lesson_text(const Lesson& lesson, const nlohmann::json& figures);

}  // namespace ascendsim::lessons
