// SPDX-License-Identifier: Apache-2.0
#include "models/node/fabric.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "sim/base/error.hpp"

namespace ascendsim::node {

Fabric::Fabric(const NodeSpec& spec, TaskGraph& graph) : spec_{spec}, graph_{graph}, made_(spec.size()) {}

void Fabric::check_device(std::uint32_t device) const {
    if (device >= spec_.size()) {
        throw UserError{"device {}: {} has devices 0 to {}", device, spec_.name, spec_.size() - 1};
    }
}

std::pair<LinkEnd, LinkEnd> Fabric::ends_of(Kind kind, std::uint32_t from, std::uint32_t to) {
    const LinkEnd source{LinkEnd::Kind::device, from};
    const LinkEnd target{LinkEnd::Kind::device, to};
    const LinkEnd network{LinkEnd::Kind::network, 0};
    switch (kind) {
        case Kind::pair:
        case Kind::package:
            break;
        case Kind::port_out:
        case Kind::nic_out:
            return {source, network};
        case Kind::port_in:
        case Kind::nic_in:
            return {network, target};
        case Kind::host_in:
            return {{LinkEnd::Kind::host, from}, target};
        case Kind::host_out:
            return {source, {LinkEnd::Kind::host, from}};
    }
    return {source, target};
}

LinkId Fabric::link(Kind kind, std::uint32_t from, std::uint32_t to, double gb_per_s) {
    for (const Made& made : made_[from]) {
        if (made.kind == kind && made.to == to) {
            return made.link;
        }
    }
    constexpr std::array names{
        "pair", "port out", "port in", "package", "nic out", "nic in", "host in", "host out"};
    const auto [source, target] = ends_of(kind, from, to);
    const LinkId id = graph_.add_link(
        {fmt::format("{} {} {}", names[static_cast<std::size_t>(kind)], from, to), gb_per_s, source, target});
    made_[from].push_back({kind, from, to, id});
    return id;
}

std::vector<LinkId> Fabric::route(std::uint32_t from, std::uint32_t to) {
    check_device(from);
    check_device(to);
    const LinksSpec& links = spec_.links;
    const bool near = server_of(from) == server_of(to);
    const std::uint32_t dies = spec_.devices.dies_per_package;
    if (near && links.package_gb_per_s > 0 && from / dies == to / dies) {
        return {link(Kind::package, from, to, links.package_gb_per_s)};
    }
    if (near && links.pair_gb_per_s > 0) {
        return {link(Kind::pair, from, to, links.pair_gb_per_s)};
    }
    if (links.port_gb_per_s > 0 && (near || spec_.hccs_far.write_dd.gb_per_s > 0)) {
        return {link(Kind::port_out, from, from, links.port_gb_per_s),
                link(Kind::port_in, to, to, links.port_gb_per_s)};
    }
    if (links.nic_gb_per_s > 0) {
        return roce_route(from, to);
    }
    if (near) {  // through the host
        return {host_link(from, false), host_link(to, true)};
    }
    throw UserError{"{}: no link joins device {} and device {} of another server", spec_.name, from, to};
}

std::vector<LinkId> Fabric::roce_route(std::uint32_t from, std::uint32_t to) {
    check_device(from);
    check_device(to);
    if (!(spec_.links.nic_gb_per_s > 0)) {
        throw UserError{"{}: its devices have no RoCE port", spec_.name};
    }
    return {link(Kind::nic_out, from, from, spec_.links.nic_gb_per_s),
            link(Kind::nic_in, to, to, spec_.links.nic_gb_per_s)};
}

LinkId Fabric::host_link(std::uint32_t device, bool to_device) {
    check_device(device);
    const std::uint32_t first = device / spec_.copy.devices_per_link * spec_.copy.devices_per_link;
    return to_device ? link(Kind::host_in, first, first, spec_.copy.h2d_gb_per_s)
                     : link(Kind::host_out, first, first, spec_.copy.d2h_gb_per_s);
}

}  // namespace ascendsim::node
