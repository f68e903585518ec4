// SPDX-License-Identifier: Apache-2.0
// Gradients of exchanges between devices that share a layer: what was copied to all is summed, what was
// summed is everyone's, what was sent comes back.
#include "networks/training/backward.hpp"

namespace ascendsim::networks {
namespace {

void gradient_of_copy(const Differentiated& d) {
    if (d.wanted(0)) {
        d.backward.give(d.input(0), d.backward.add("ShareSum", {d.gradient()}, d.node.attributes));
    }
}

void gradient_of_shared_sum(const Differentiated& d) {
    if (d.wanted(0)) {
        d.backward.give(d.input(0), d.gradient());
    }
}

/// Each device goes on with the gradient of its part.
void gradient_of_shared_gather(const Differentiated& d) {
    if (d.wanted(0)) {
        d.backward.give(d.input(0), d.backward.add("ShareSlice", {d.gradient()}, d.node.attributes));
    }
}

void gradient_of_send(const Differentiated& d) {
    if (d.wanted(0)) {
        d.backward.give(d.input(0), d.backward.add("ExpertReturn", {d.gradient()}, d.node.attributes));
    }
}

void gradient_of_return(const Differentiated& d) {
    if (d.wanted(0)) {
        d.backward.give(d.input(0), d.backward.add("ExpertSend", {d.gradient()}, d.node.attributes));
    }
}

}  // namespace

Gradients sharing_gradients() {
    return {{"ShareCopy", gradient_of_copy},
            {"ShareSum", gradient_of_shared_sum},
            {"ShareGather", gradient_of_shared_gather},
            {"ExpertSend", gradient_of_send},
            {"ExpertReturn", gradient_of_return}};
}

}  // namespace ascendsim::networks
