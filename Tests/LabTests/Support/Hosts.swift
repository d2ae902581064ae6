// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Foundation

/// Two network namespaces joined by a veth pair: `near`, whose interface is conditioned, and `far`.
/// Deleted with their user.
final class Hosts: Sendable {
    let near: String
    let far: String
    /// The interface of `near` that leads to `far`.
    let interface = "uplink0"

    static let nearAddress = (v4: "10.77.0.1", v6: "fd77::1")
    static let farAddress = (v4: "10.77.0.2", v6: "fd77::2")

    init() throws {
        let tag = UUID().uuidString.prefix(8)
        (near, far) = ("near-\(tag)", "far-\(tag)")
        try Shell.check(
            """
            set -e
            ip netns add \(near)
            ip netns add \(far)
            ip link add \(interface) netns \(near) type veth peer name peer0 netns \(far)
            ip -n \(near) -batch - <<END
            link set lo up
            address add \(Self.nearAddress.v4)/24 dev \(interface)
            address add \(Self.nearAddress.v6)/64 dev \(interface) nodad
            link set \(interface) up
            END
            ip -n \(far) -batch - <<END
            link set lo up
            address add \(Self.farAddress.v4)/24 dev peer0
            address add \(Self.farAddress.v6)/64 dev peer0 nodad
            link set peer0 up
            END
            """
        )
    }

    deinit {
        _ = try? Shell.run("ip netns del \(near); ip netns del \(far)")
    }

    /// Runs a line of shell on the near host.
    func onNear(_ line: String) throws -> CommandResult {
        try Shell.run("ip netns exec \(near) sh -c '\(line)'")
    }

    /// Runs the program under test for the near host.
    func linkcond(_ arguments: String) throws -> CommandResult {
        try Shell.linkcond("\(arguments) --netns \(near)")
    }

    /// Applies a profile to the interface, or fails the test.
    func apply(_ profile: String, _ options: String = "", interface: String? = nil) throws {
        let line = "apply \(profile.isEmpty ? "" : "'\(profile)'") -i \(interface ?? self.interface) \(options)"
        let result = try linkcond(line)
        guard result.status == 0 else { throw CommandFailure(line: line, result: result) }
    }

    /// Everything that conditioning could have changed on the near host, without counters, and without the classes
    /// of fq_codel, which are the flows of the moment.
    func dump() throws -> String {
        try Shell.check(
            """
            ip -n \(near) -d link show
            for device in $(ip -n \(near) -br link | cut -d' ' -f1 | cut -d@ -f1); do
                tc -n \(near) qdisc show dev $device
                tc -n \(near) class show dev $device | grep -v "^class fq_codel"
                tc -n \(near) filter show dev $device
                tc -n \(near) filter show dev $device ingress
                tc -n \(near) filter show dev $device egress
                ip netns exec \(near) ethtool -k $device
            done
            """
        )
    }
}

/// A network namespace with nothing but loopback.
final class LoneHost: Sendable {
    let name = "lone-\(UUID().uuidString.prefix(8))"

    init() throws {
        try Shell.check("ip netns add \(name) && ip -n \(name) link set lo up")
    }

    deinit {
        _ = try? Shell.run("ip netns del \(name)")
    }
}
