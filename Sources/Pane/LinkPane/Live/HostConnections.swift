// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
internal import InternetAddresses
internal import LinkProfiles
internal import LinkRules
internal import LinuxSystem
package import Netlink
package import PacketPump
internal import Sandboxing

/// The connections of this machine: the flows that pumps account for, and the TCP sockets of the other interfaces.
package final class HostConnections: ConnectionList {
    /// The time between two lists of the kernel's sockets, which cost more than the memory of the pumps.
    private static let interval = Duration.seconds(1)
    /// The time for which a connection that is over, and a silent flow without connections, stay in the list.
    private static let (overFor, silentFor) = (60.0, 300.0)

    private let sampler: LiveSampler
    private let network: RouteConnection?
    private let sockets: RouteConnection?
    private let hidden: Set<UInt16>
    private let renew: () -> Void
    private var rules = RuleMatch()
    private var listed: [TCPSocketStatus] = []
    private var problem: String?
    private var next = Duration.zero
    private let processes = SocketProcesses { DirectoryListing.numbers(in: "/proc") }
    private var names = PeerNames()
    /// The times at which sockets were first seen; those that were there at the first look have no known age.
    private var births = SocketBirths()

    /// - Parameters:
    ///   - sampler: has the pumps' flows.
    ///   - network: lists the addresses of the network that the calling thread is in.
    ///   - hidden: ports whose connections are not listed: the pane's own.
    ///   - renew: makes the sampler read the rules; called if nothing else has done so for a while.
    package init(
        _ sampler: LiveSampler,
        network: RouteConnection?,
        hiding hidden: Set<UInt16> = [],
        renew: @escaping () -> Void
    ) {
        (self.sampler, self.network, self.hidden, self.renew) = (sampler, network, hidden, renew)
        sockets = try? RouteConnection.socketLists()
    }

    package func connections(at now: Duration) -> (rows: [ConnectionRow], problem: String?) {
        if now - sampler.lastSample > .seconds(1) { renew() }
        let time = lc_monotonic_time()
        var rows: [ConnectionRow] = []
        for (rule, page) in sampler.flowPages {
            names.read(page, of: rule)
            rows += page.flows().compactMap { ConnectionRow($0, of: rule, now: time) }
        }
        rows.removeAll { row in
            let idle = row.idle ?? 0
            return ["closed", "reset"].contains(row.state)
                ? idle > Self.overFor : row.transport != "tcp" && idle > Self.silentFor
        }
        if now >= next { listSockets(at: now) }
        let known = Set(rows.map(\.ends))
        rows += rules.rows(of: listed, besides: known).map { row in
            var row = row
            row.age = births.age(of: row.id, at: now)
            return row
        }
        rows.removeAll { hidden.contains($0.client.port) || hidden.contains($0.peer.port) }
        processes.name(&rows)
        for index in rows.indices { rows[index].name = names[rows[index].peer.address] }
        return (rows, problem)
    }

    private func listSockets(at now: Duration) {
        next = now + Self.interval
        if let report = sampler.report { rules = RuleMatch(report, addresses: (try? network?.addresses()) ?? []) }
        do throws(NetlinkError) {
            guard let sockets else { return problem = "the kernel does not list its sockets" }
            listed = try sockets.tcpSockets()
            problem = nil
        } catch {
            (listed, problem) = ([], error.description)
        }
        births.update(listed.map { "tcp/\($0.inode)" }, at: now)
        var inodes: [ConnectionRow.Ends: UInt64] = [:]
        for socket in listed where socket.inode != 0 {
            inodes[ConnectionRow.Ends("tcp", socket.localEnd, socket.remoteEnd)] = socket.inode
        }
        processes.update(tcp: inodes, at: now)
    }
}
