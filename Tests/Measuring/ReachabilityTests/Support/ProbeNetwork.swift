// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Foundation
import TestKit
import Testing

@testable import Probing

/// Three networks in a row: a client, a router that fails in every way, and a far host with servers.
///
///     client 10.71.1.2 ── 10.71.1.1 router 10.71.2.1 ── 10.71.2.2 far        (fd71:1::2 and so on)
struct ProbeNetwork {
    static let need: Comment = "needs root for network namespaces"
    static var isAvailable: Bool { geteuid() == 0 }

    private let name = "lcprobe\(getpid())x\(UInt32.random(in: 0...UInt32.max))"
    var client: String { name + "c" }
    var router: String { name + "r" }
    var far: String { name + "f" }

    /// Gives `body` such a network, and takes it away.
    static func with<Result>(_ body: (ProbeNetwork) async throws -> Result) async throws -> Result {
        let network = ProbeNetwork()
        defer {
            for name in [network.client, network.router, network.far] { _ = try? Shell.run("ip netns delete \(name)") }
        }
        try network.build()
        return try await body(network)
    }

    /// How many answers to pings the client has received, whoever they are for.
    func echoReplies() throws -> Int {
        let text = try Shell.run("ip netns exec \(client) cat /proc/net/snmp").output
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("Icmp: ") }.map { $0.split(separator: " ") }
        try #require(lines.count == 2)
        let column = try #require(lines[0].firstIndex(of: "InEchoReps"))
        return try #require(Int(lines[1][column]))
    }

    /// A loop whose probes leave from the client.
    func loop(descriptors: Int? = nil, roots: TrustRoots? = nil) -> ProbeLoop {
        let path = "/run/netns/\(client)"
        return ProbeLoop(descriptors: descriptors, roots: roots) {
            let result = lc_enter_network_namespace(path)
            precondition(result == 0, "cannot enter \(path): errno \(-result)")
        }
    }

    /// Of ICMP's rate limits, icmp_ratemask is lifted and not icmp_ratelimit: a limit of zero would take the tokens
    /// that routes of the types `unreachable` and `prohibit` pay with (net/ipv4/route.c, ip_error).
    ///
    /// Without duplicate address detection, since a router asks for neighbours from its link-local address only, and
    /// has none for 1 to 2 s while that is tentative (net/ipv6/ndisc.c, ndisc_send_ns). The kernel takes up to 1 s to see
    /// a carrier (net/core/link_watch.c), so that the far host is waited for.
    private func build() throws {
        let (c, r, f) = (client, router, far)
        try Shell.check(
            """
            set -e
            for n in \(c) \(r) \(f); do
                ip netns add $n; ip -n $n link set lo up
                ip netns exec $n sh -c 'echo 0 >/proc/sys/net/ipv6/conf/default/accept_dad'
            done
            ip link add c0 netns \(c) type veth peer name r0 netns \(r)
            ip link add r1 netns \(r) type veth peer name f0 netns \(f)
            ip -n \(c) -batch - <<END
            addr add 10.71.1.2/24 dev c0
            addr add fd71:1::2/64 dev c0 nodad
            link set c0 up
            route add default via 10.71.1.1
            route add default via fd71:1::1
            route add throw 10.75.0.0/24
            route add unreachable 10.76.0.0/24
            route add prohibit 10.77.0.0/24
            route add blackhole 10.78.0.0/24
            route add throw fd75::/64
            route add unreachable fd76::/64
            route add prohibit fd77::/64
            route add blackhole fd78::/64
            END
            ip -n \(r) -batch - <<END
            addr add 10.71.1.1/24 dev r0
            addr add fd71:1::1/64 dev r0 nodad
            addr add 10.71.2.1/24 dev r1
            addr add fd71:2::1/64 dev r1 nodad
            link set r0 up
            link set r1 up
            route add unreachable 10.72.0.0/24
            route add prohibit 10.73.0.0/24
            route add blackhole 10.74.0.0/24
            route add prohibit fd73::/64
            route add blackhole fd74::/64
            END
            ip -n \(f) -batch - <<END
            addr add 10.71.2.2/24 dev f0
            addr add fd71:2::2/64 dev f0 nodad
            link set f0 up
            route add default via 10.71.2.1
            route add default via fd71:2::1
            END
            ip netns exec \(r) sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward
                echo 1 >/proc/sys/net/ipv6/conf/all/forwarding
                echo 0 >/proc/sys/net/ipv4/icmp_ratemask; echo 0 >/proc/sys/net/ipv6/icmp/ratelimit'
            ip netns exec \(c) sh -c 'echo "0 2147483647" >/proc/sys/net/ipv4/ping_group_range'
            for far in 10.71.2.2 fd71:2::2; do ip netns exec \(c) ping -q -c 1 -i 0.2 -w 10 $far; done
            for n in \(c) \(r) \(f); do ip -n $n neigh flush all; done
            """
        )
    }
}

extension Prober {
    /// The observation of one probe; where there is an answer, it comes long before the timeout.
    func ask(_ probe: Probe, timeout: Duration = HangLimit.duration) async -> Observation {
        await withCheckedContinuation { continuation in
            start(probe, timeout: timeout) { continuation.resume(returning: $0) }
        }
    }

    /// The observation of a probe whose last step has no answer. On a busy machine the timeout may end a step before that,
    /// so it is asked again with more time, up to half a minute, until the observation is the one that is meant.
    func askInVain(_ probe: Probe, until isMeant: (Observation) -> Bool) async -> Observation {
        var timeout = Duration.milliseconds(300)
        while true {
            let observation = await ask(probe, timeout: timeout)
            if isMeant(observation) || timeout > .seconds(10) { return observation }
            timeout *= 3
        }
    }
}
