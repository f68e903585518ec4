// SPDX-License-Identifier: Apache-2.0
#include "models/port/buffer_news.hpp"

#include "models/port/call_mark.hpp"

namespace ascendsim::isa {
namespace {

constexpr OpInfo buffer_info{"buffer", "The kernel framework hands a buffer on."};

}  // namespace

Instructions buffer_news_instructions() {
    return {&buffer_info};
}

void buffer_news(const BufferNews& news, Site site) {
    CorePort::current().push({.info = &buffer_info,
                              .site = site,
                              .kind = OpKind::buffer,
                              .pipe = Pipe::scalar,
                              .a = static_cast<std::uint8_t>(news.holder),
                              .b = static_cast<std::uint8_t>(news.holder),
                              .bytes = news.bytes,
                              .offset = news.where.offset,
                              .memory = news.where.memory,
                              .step = news.step,
                              .position = news.position});
}

void call_begins(Site site) {
    CorePort::current().push({.info = &buffer_info,
                              .site = site,
                              .kind = OpKind::buffer,
                              .pipe = Pipe::scalar,
                              .a = 1,
                              .b = call_mark});
}

void call_ends() {
    CorePort::current().push(
        {.info = &buffer_info, .kind = OpKind::buffer, .pipe = Pipe::scalar, .b = call_mark});
}

}  // namespace ascendsim::isa
