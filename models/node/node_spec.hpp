// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <tuple>

#include "sim/config/field.hpp"

namespace ascendsim::node {

/// How many devices there are, and how they are grouped.
struct DevicesSpec {
    std::uint32_t servers = 1;
    std::uint32_t per_server = 8;
    std::uint32_t dies_per_package = 1;  // neighbours that share a package have links of their own

    static constexpr auto fields() {
        return std::tuple{
            field("servers", &DevicesSpec::servers, 1, 4096, "", "servers of the machine"),
            field("per_server", &DevicesSpec::per_server, 1, 64, "", "devices of one server"),
            field("dies_per_package",
                  &DevicesSpec::dies_per_package,
                  1,
                  4,
                  "",
                  "neighbouring devices that share a package"),
        };
    }
};

/// Links between devices, each direction for itself. 0 GB/s: there is no such link.
struct LinksSpec {
    double pair_gb_per_s = 0;     // full mesh: of each two devices of a server
    double port_gb_per_s = 0;     // switched: of each device, to all others together
    double package_gb_per_s = 0;  // between dies of one package
    double nic_gb_per_s = 0;      // of each device, to other servers over RoCE

    static constexpr auto fields() {
        return std::tuple{
            field("pair_gb_per_s",
                  &LinksSpec::pair_gb_per_s,
                  0,
                  1000,
                  "GB/s",
                  "between two devices of a full mesh, each direction"),
            field("port_gb_per_s",
                  &LinksSpec::port_gb_per_s,
                  0,
                  2000,
                  "GB/s",
                  "of a device's port to the switches, each direction"),
            field("package_gb_per_s",
                  &LinksSpec::package_gb_per_s,
                  0,
                  2000,
                  "GB/s",
                  "between two dies of a package, each direction"),
            field("nic_gb_per_s",
                  &LinksSpec::nic_gb_per_s,
                  0,
                  1000,
                  "GB/s",
                  "of a device's RoCE port, each direction"),
        };
    }
};

/// How one device's engine moves a block between two memories.
struct PathSpec {
    double gb_per_s = 0;    // 0: there is no such path
    double latency_us = 0;  // from a block's start to its first byte
    double issue_us = 0;    // least time between the starts of two blocks

    static constexpr auto fields() {
        return std::tuple{
            field("gb_per_s", &PathSpec::gb_per_s, 0, 2000, "GB/s", "rate of one block; 0: no such path"),
            field("latency_us",
                  &PathSpec::latency_us,
                  0,
                  1000,
                  "us",
                  "of a block before its bytes flow and after, in all"),
            field("issue_us",
                  &PathSpec::issue_us,
                  0,
                  1000,
                  "us",
                  "least time between the starts of two blocks"),
        };
    }
};

/// The paths of a transport from the memory of one side to that of another. `write` moves from local memory
/// to remote memory, `read` from remote memory to local memory; the letters are source and destination,
/// device or host.
struct TransportSpec {
    PathSpec write_dd;
    PathSpec write_dh;
    PathSpec write_hd;
    PathSpec write_hh;
    PathSpec read_dd;
    PathSpec read_dh;
    PathSpec read_hd;
    PathSpec read_hh;

    static constexpr auto fields() {
        return std::tuple{
            group("write_dd", &TransportSpec::write_dd, "local device to remote device"),
            group("write_dh", &TransportSpec::write_dh, "local device to remote host"),
            group("write_hd", &TransportSpec::write_hd, "local host to remote device"),
            group("write_hh", &TransportSpec::write_hh, "local host to remote host"),
            group("read_dd", &TransportSpec::read_dd, "remote device to local device"),
            group("read_dh", &TransportSpec::read_dh, "remote device to local host"),
            group("read_hd", &TransportSpec::read_hd, "remote host to local device"),
            group("read_hh", &TransportSpec::read_hh, "remote host to local host"),
        };
    }
};

/// Who hands blocks to a transport's engine, and how fast.
struct IssuerSpec {
    double issue_us = 0;       // for each block
    double local_host_us = 0;  // added for each block that the local host's memory holds
    double latency_us = 0;     // added to each block's latency
    std::uint32_t window = 1;  // blocks under way at a time
    double host_gb_per_s = 0;  // most to or from a host's memory; 0: as the path

    static constexpr auto fields() {
        return std::tuple{
            field("issue_us", &IssuerSpec::issue_us, 0, 1000, "us", "the issuer's own time for each block"),
            field("local_host_us",
                  &IssuerSpec::local_host_us,
                  0,
                  1000,
                  "us",
                  "added to it where the local host's memory holds the block"),
            field("latency_us", &IssuerSpec::latency_us, 0, 1000, "us", "added to each block's latency"),
            field("window", &IssuerSpec::window, 1, 1024, "blocks", "blocks under way at a time"),
            field("host_gb_per_s",
                  &IssuerSpec::host_gb_per_s,
                  0,
                  1000,
                  "GB/s",
                  "most to or from a host's memory; 0: as the path"),
        };
    }
};

/// Who can issue blocks over a transport.
struct IssuersSpec {
    IssuerSpec device;        // the device's own processors: blocks are unfolded there
    IssuerSpec domain;        // the collective library's one-sided calls within a communication domain
    IssuerSpec host_streams;  // a host thread, on several streams

    static constexpr auto fields() {
        return std::tuple{
            group("device", &IssuersSpec::device, "blocks unfolded on the device"),
            group("domain", &IssuersSpec::domain, "one-sided calls of a communication domain"),
            group("host_streams", &IssuersSpec::host_streams, "a host thread on several streams"),
        };
    }
};

/// Copies between a host and its own device.
struct HostCopySpec {
    double h2d_gb_per_s = 25;
    double d2h_gb_per_s = 25;
    double h2d_latency_us = 9;
    double d2h_latency_us = 11;
    double floor_us = 11;  // shortest copy, call and completion included
    double pageable_gb_per_s = 10;
    double pageable_us = 15;             // added to a copy of pageable memory
    std::uint32_t devices_per_link = 1;  // that share one host link

    static constexpr auto fields() {
        return std::tuple{
            field("h2d_gb_per_s", &HostCopySpec::h2d_gb_per_s, 0.1, 1000, "GB/s", "host to device"),
            field("d2h_gb_per_s", &HostCopySpec::d2h_gb_per_s, 0.1, 1000, "GB/s", "device to host"),
            field("h2d_latency_us",
                  &HostCopySpec::h2d_latency_us,
                  0,
                  1000,
                  "us",
                  "of a copy to the device, besides its bytes"),
            field("d2h_latency_us",
                  &HostCopySpec::d2h_latency_us,
                  0,
                  1000,
                  "us",
                  "of a copy to the host, besides its bytes"),
            field("floor_us", &HostCopySpec::floor_us, 0, 1000, "us", "shortest copy"),
            field("pageable_gb_per_s",
                  &HostCopySpec::pageable_gb_per_s,
                  0.1,
                  1000,
                  "GB/s",
                  "rate through the driver's pinned buffer"),
            field("pageable_us",
                  &HostCopySpec::pageable_us,
                  0,
                  1000,
                  "us",
                  "added to a copy of pageable memory"),
            field("devices_per_link",
                  &HostCopySpec::devices_per_link,
                  1,
                  16,
                  "",
                  "devices that share one host link"),
        };
    }
};

/// What a collective costs besides the bytes on the links.
struct CollectiveSpec {
    double step_us = 0;               // of each step: notify, wait, start of the transfer
    double reduce_step_us = 0;        // added to a step that reduces
    double gb_per_s = 0;              // most on a link; 0: as the link
    double reduce_gb_per_s = 0;       // the same where the destination adds; 0: as gb_per_s
    double staging_gb_per_s = 0;      // copy to the library's buffer; 0: none
    std::uint64_t staging_bytes = 0;  // of that copy, what no transfer hides
    double direct_us = 0;             // of each step of the direct protocol
    double direct_gb_per_s = 0;       // of a device, to all others together
    std::uint64_t direct_bytes = 0;   // largest input of a rank it takes
    double server_step_us = 0;        // of each step between servers
    double kernel_us = 0;  // from a kernel's commit to the start, and from the end to its seeing it
    bool kernel_all_to_all_v = true;  // kernels may ask for exchanges of unequal parts

    static constexpr auto fields() {
        using Self = CollectiveSpec;
        return std::tuple{
            field("step_us", &Self::step_us, 0, 1000, "us", "of each step: notify, wait, start"),
            field("reduce_step_us", &Self::reduce_step_us, 0, 1000, "us", "added where a step reduces"),
            field("gb_per_s", &Self::gb_per_s, 0, 2000, "GB/s", "most on a link; 0: as the link"),
            field("reduce_gb_per_s",
                  &Self::reduce_gb_per_s,
                  0,
                  2000,
                  "GB/s",
                  "most on a link where the destination adds; 0: as gb_per_s"),
            field("staging_gb_per_s",
                  &Self::staging_gb_per_s,
                  0,
                  5000,
                  "GB/s",
                  "copy to the library's buffer; 0: none"),
            field("staging_bytes",
                  &Self::staging_bytes,
                  0,
                  1e9,
                  "B",
                  "of that copy, what no transfer hides: the first slice"),
            field("direct_us", &Self::direct_us, 0, 1000, "us", "of each step of the direct protocol"),
            field("direct_gb_per_s",
                  &Self::direct_gb_per_s,
                  0,
                  2000,
                  "GB/s",
                  "of a device to all others together, direct protocol; 0: there is none"),
            field("direct_bytes",
                  &Self::direct_bytes,
                  0,
                  1e9,
                  "B",
                  "largest input of a rank that the direct protocol takes"),
            field("server_step_us", &Self::server_step_us, 0, 1000, "us", "of each step between servers"),
            field("kernel_us",
                  &Self::kernel_us,
                  0,
                  1000,
                  "us",
                  "from a kernel's commit to the start, and from the end to the kernel's seeing it"),
            field("kernel_all_to_all_v",
                  &Self::kernel_all_to_all_v,
                  0,
                  1,
                  "",
                  "kernels may ask for exchanges of unequal parts"),
        };
    }
};

/// Transports and issuers: HCCS and RoCE, within a server and between two.
struct NodeSpec {
    std::string name;
    std::string title;
    std::string chip;  // of models/chips
    std::string host;  // of models/hosts
    DevicesSpec devices;
    LinksSpec links;
    TransportSpec hccs_near;
    TransportSpec hccs_far;
    TransportSpec roce_near;
    TransportSpec roce_far;
    IssuersSpec hccs;
    IssuersSpec roce;
    HostCopySpec copy;
    CollectiveSpec collective;

    static constexpr auto fields() {
        return std::tuple{
            group("devices", &NodeSpec::devices, "devices and servers"),
            group("links", &NodeSpec::links, "links between devices"),
            group("hccs_near", &NodeSpec::hccs_near, "HCCS within a server"),
            group("hccs_far", &NodeSpec::hccs_far, "HCCS between servers"),
            group("roce_near", &NodeSpec::roce_near, "RoCE within a server"),
            group("roce_far", &NodeSpec::roce_far, "RoCE between servers"),
            group("hccs", &NodeSpec::hccs, "issuers over HCCS"),
            group("roce", &NodeSpec::roce, "issuers over RoCE"),
            group("copy", &NodeSpec::copy, "copies between a host and its device"),
            group("collective", &NodeSpec::collective, "collectives"),
        };
    }

    [[nodiscard]] std::uint32_t size() const { return devices.servers * devices.per_server; }
};

/// What calls cost a host thread, and what the host draws.
struct HostSpec {
    std::string name;
    std::string title;
    double eager_us = 48.7;     // a framework's operator, one by one
    double triton_us = 95;      // a Triton kernel through the framework
    double queue_us = 10;       // the device's part of a call on a second thread
    double launch_us = 5;       // a launch through the ACL
    double graph_task_us = 1;   // each task of a captured graph
    double task_gap_us = 8;     // between two tasks of a stream
    double sync_us = 10;        // from a stream's end to the host's going on
    double core_w = 2.8;        // of a core that a thread keeps busy, beyond an idle one
    double idle_w = 300;        // of a server's processors and memory while no thread is busy
    double power_spread = 0.5;  // by which both may be off, as a share

    static constexpr auto fields() {
        using Self = HostSpec;
        return std::tuple{
            field("eager_us", &Self::eager_us, 0, 10000, "us", "host time of a framework's operator"),
            field("triton_us",
                  &Self::triton_us,
                  0,
                  10000,
                  "us",
                  "host time of a Triton kernel called through the framework"),
            field("queue_us",
                  &Self::queue_us,
                  0,
                  10000,
                  "us",
                  "part of eager_us that a task queue moves to a second thread"),
            field("launch_us", &Self::launch_us, 0, 10000, "us", "host time of a launch through the ACL"),
            field("graph_task_us",
                  &Self::graph_task_us,
                  0,
                  10000,
                  "us",
                  "time between two tasks of a captured graph"),
            field("task_gap_us",
                  &Self::task_gap_us,
                  0,
                  1000,
                  "us",
                  "on a stream, from a call's arrival to its kernel's start"),
            field("sync_us",
                  &Self::sync_us,
                  0,
                  1000,
                  "us",
                  "from the end of a stream's work to the host's going on"),
            field("core_w",
                  &Self::core_w,
                  0,
                  1000,
                  "W",
                  "of a core that a thread keeps busy, beyond an idle one"),
            field("idle_w",
                  &Self::idle_w,
                  0,
                  10000,
                  "W",
                  "of a server's processors and memory while no thread is busy"),
            field("power_spread",
                  &Self::power_spread,
                  0,
                  1,
                  "",
                  "by which core_w and idle_w may be off, as a share"),
        };
    }
};

}  // namespace ascendsim::node
