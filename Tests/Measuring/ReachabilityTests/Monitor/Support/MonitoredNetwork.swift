// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

@testable import LocalNetwork
@testable import Netlink
@testable import Probing
@testable import Reachability

/// A network with servers of all kinds on its far host, and monitors on its client.
struct MonitoredNetwork {
    let network: ProbeNetwork
    let servers: Servers
    private let names: FarServers
    private let folder: URL

    /// The names that need no server, of each family.
    static let hosts = """
        10.71.2.2 four.wild.test a4.test b4.test c4.test
        fd71:2::2 six.wild.test a6.test b6.test c6.test
        """

    static func with<Result>(_ body: (MonitoredNetwork) async throws -> Result) async throws -> Result {
        try await ProbeNetwork.with { network in
            let folder = FileManager.default.temporaryDirectory.appending(path: "monitor-\(UUID())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            try hosts.write(toFile: folder.appending(path: "hosts").path, atomically: true, encoding: .utf8)
            // Refusals of UDP are limited to one a second, too.
            try Shell.check("ip netns exec \(network.far) sh -c 'echo 0 >/proc/sys/net/ipv4/icmp_ratemask'")
            try Shell.check("ip netns exec \(network.far) sh -c 'echo 0 >/proc/sys/net/ipv6/icmp/ratelimit'")
            let monitored = MonitoredNetwork(
                network: network,
                servers: try Servers(authority: Servers.all.get().authority, in: network),
                names: try FarServers(network),
                folder: folder
            )
            defer { withExtendedLifetime(monitored) {} }
            return try await body(monitored)
        }
    }

    /// What settles in seconds.
    static var policy: Policy {
        var policy = Policy()
        policy.interval = .milliseconds(700)
        policy.fastInterval = .milliseconds(400)
        policy.downInterval = .seconds(1)
        policy.sessionTimeout = .seconds(2)
        policy.resolveTimeout = .seconds(2)
        // This machine may be busy; how good a path is is not asked here.
        (policy.slowRoundTrip, policy.lossRaise) = (.seconds(60), 1)
        return policy
    }

    /// A monitor on the client, with a server for names.
    func monitor(_ policy: Policy = policy, nameserver: String = "10.71.2.2") throws -> ReachabilityMonitor {
        let configuration = folder.appending(path: "resolv-\(nameserver)").path
        try "nameserver \(nameserver)\noptions timeout:1 attempts:1".write(
            toFile: configuration,
            atomically: true,
            encoding: .utf8
        )
        let roots = TrustRoots(includesSystem: false, file: servers.authority.roots)
        let hosts = folder.appending(path: "hosts").path
        return try network.inClient {
            let prober = SocketProber(roots: roots)
            return ReachabilityMonitor(
                policy: policy,
                prober: prober,
                resolver: Resolver(prober, hosts: hosts, configuration: configuration, port: 53),
                local: try LocalWatcher()
            )
        }
    }
}

extension ProbeNetwork {
    /// Runs `body` on a thread of the client's network, and waits for it; threads that it starts belong there too.
    func inClient<Value>(_ body: @escaping () throws -> Value) throws -> Value {
        try PrivateNetwork.run(in: "/run/netns/\(client)", body)
    }
}
