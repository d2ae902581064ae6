// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Foundation
import TestKit

/// Two network namespaces joined by a veth pair: `near`, whose interface is conditioned, and `far`.
/// They are deleted with this object.
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
            # The kernel may tell of a link up to a second late (net/core/link_watch.c). Until then IPv6 joins no group
            # there, and who asks for the far host's address is not heard.
            while ip -n \(far) -br link show peer0 | grep -q DOWN; do sleep 0.05; done
            """
        )
    }

    deinit {
        _ = try? Shell.run("ip netns del \(near); ip netns del \(far)")
    }

    /// Runs a shell command on the near host.
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
        guard result.status == 0 else { throw TestFailure(line: line, result: result) }
    }

    /// Everything that conditioning could have changed on the near host, without counters, and without the classes
    /// of fq_codel, which are the flows of the moment. A device that goes meanwhile is a difference, not a failure.
    func dump() throws -> String {
        // The namespace is entered once, and tc started once: each costs more than what it prints.
        let commands = """
            ip -d link show
            devices=$(ip -br link | cut -d" " -f1 | cut -d@ -f1)
            for device in $devices; do
                printf "qdisc show dev $device\nclass show dev $device\n"
                for hook in "" ingress egress; do echo "filter show dev $device $hook"; done
            done | tc -force -batch - | grep -v "^class fq_codel"
            for device in $devices; do ethtool -k $device 2> /dev/null || echo "$device: gone"; done
            """
        return try Shell.check("ip netns exec \(near) sh -c \(Shell.quoted(commands))")
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
