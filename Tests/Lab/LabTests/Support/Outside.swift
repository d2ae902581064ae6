// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit

/// A simulated internet of two network namespaces: `host`, in which linkcond is run, and `inet`, its default gateway.
/// The host's resolver listens on its loopback only, as systemd-resolved does. Both are deleted with this object.
final class Outside {
    let host: String
    let inet: String
    private let resolver: RunningCommand
    private let web: RunningCommand
    private let directory = FileManager.default.temporaryDirectory.appending(path: "outside-\(UUID().uuidString)").path

    static let hostAddress = (v4: "10.98.0.1", v6: "fd98::1")
    /// Where the web server is.
    static let address = (v4: "10.98.0.2", v6: "fd98::2")
    /// The name that the resolver knows, with both addresses.
    static let name = "www.test"

    init() throws {
        let tag = UUID().uuidString.prefix(8)
        (host, inet) = ("host-\(tag)", "inet-\(tag)")
        try Shell.check(
            """
            set -e
            mkdir -m 0755 \(directory)
            echo nameserver \(NameServer.address) >\(directory)/resolv.conf
            ip netns add \(host)
            ip netns add \(inet)
            ip link add wide0 netns \(host) type veth peer name peer0 netns \(inet)
            ip -n \(host) -batch - <<END
            link set lo up
            address add \(Self.hostAddress.v4)/24 dev wide0
            address add \(Self.hostAddress.v6)/64 dev wide0 nodad
            link set wide0 up
            route add default via \(Self.address.v4)
            route add default via \(Self.address.v6)
            END
            ip -n \(inet) -batch - <<END
            link set lo up
            address add \(Self.address.v4)/24 dev peer0
            address add \(Self.address.v6)/64 dev peer0 nodad
            link set peer0 up
            END
            """
        )
        resolver = try RunningCommand(shell: "ip netns exec \(host) \(NameServer.line)")
        web = try RunningCommand(shell: "ip netns exec \(inet) \(Web.line)")
        for server in [resolver, web] where server.nextLine() != "ready" { throw POSIXError(.EADDRNOTAVAIL) }
    }

    deinit {
        for server in [resolver, web] { server.send(SIGKILL) }
        _ = try? Shell.run("ip netns del \(host); ip netns del \(inet); rm -r \(directory)")
    }

    /// Runs a command in a sandbox on the host.
    func run(_ arguments: String, as caller: Caller, resolver: ResolverFile = .plain) throws -> CommandResult {
        let line = """
            set -e
            \(resolver.mounting(directory))
            exec ip netns exec \(host) \(caller.line(arguments))
            """
        return try Shell.run("unshare -m sh -c \(Shell.quoted(line))")
    }

    /// Runs a command that must succeed, and gives its output.
    func check(_ arguments: String, as caller: Caller, resolver: ResolverFile = .plain) throws -> String {
        let result = try run(arguments, as: caller, resolver: resolver)
        guard result.status == 0 else { throw TestFailure(line: arguments, result: result) }
        return result.output
    }

    /// The type of the next query that the host's resolver got.
    func nextQuery() -> String? {
        resolver.nextLine()
    }
}
