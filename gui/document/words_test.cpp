// SPDX-License-Identifier: Apache-2.0
#include "gui/document/words.hpp"

#include <gmock/gmock.h>

namespace ascendsim::gui {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Recordings have one reason for a stream that has no task and for one whose host is late.
TEST(CauseWords, DoNotBlameTheHostForEveryGapOfAStream) {
    const record::Word gap = cause_words(record::Reason::issue, false);
    EXPECT_THAT(std::string{gap.label}, Not(HasSubstr("host")));
    EXPECT_THAT(std::string{gap.meaning}, HasSubstr("or the host"));
    EXPECT_EQ(cause_words(record::Reason::issue, true).label, record::label(record::Reason::issue));
}

}  // namespace
}  // namespace ascendsim::gui
