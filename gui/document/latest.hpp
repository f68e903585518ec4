// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <optional>
#include <utility>

namespace ascendsim::gui {

/// A result that is computed by a worker whenever its key changes. Whoever draws asks every frame and gets
/// the newest there is, without waiting.
template <class Key, class Value>
class Latest {
public:
    /// The result for `key`, or an older one (or null) while a worker computes it; at once if asked to.
    const Value* get(const Key& key, bool at_once, std::function<Value()> compute) {
        collect();
        if (key_ == key) {
            return &*value_;
        }
        if (at_once) {
            value_ = compute();
            key_ = key;
        } else if (!pending_.valid()) {
            pending_key_ = key;
            pending_ = std::async(std::launch::async, std::move(compute));
        }
        return value_ ? &*value_ : nullptr;
    }

    /// Whether the last result is not of the key last asked for.
    [[nodiscard]] bool busy() const { return pending_.valid(); }

private:
    void collect() {
        if (pending_.valid() && pending_.wait_for(std::chrono::seconds{0}) == std::future_status::ready) {
            value_ = pending_.get();
            key_ = std::move(pending_key_);
        }
    }

    std::optional<Key> key_;
    std::optional<Value> value_;
    Key pending_key_{};
    std::future<Value> pending_;
};

}  // namespace ascendsim::gui
