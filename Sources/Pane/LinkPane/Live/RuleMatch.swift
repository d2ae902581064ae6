// SPDX-License-Identifier: Apache-2.0

internal import InternetAddresses
internal import LinkConditioning
internal import LinkProfiles
internal import LinkRules
internal import Netlink
internal import PacketPump

/// Finds the rule that conditions a connection, as the kernel's filters do: the first that matches, in their order.
struct RuleMatch {
    private struct Interface {
        var name: String
        var addresses: Set<IPAddress>
        /// The rules in the kernel's order, with their numbers.
        var rules: [(number: Int, selection: Selection, facing: Facing)]
    }

    private var interfaces: [Interface] = []
    private var local: Set<IPAddress> = []

    init() {}

    init(_ report: StatusReport, addresses: [InterfaceAddress]) {
        local = Set(addresses.map(\.address))
        interfaces = report.devices.map { device in
            Interface(
                name: device.interface,
                addresses: Set(addresses.lazy.filter { $0.index == device.index }.map(\.address)),
                rules: device.rules.map { ($0.number, $0.traffic, $0.facing) }
            )
        }
    }

    /// The rule of a TCP connection between these ends as "eth0#1", and whether its client is the local end; nil if no
    /// rule matches.
    private func rule(local: ConnectionRow.End, remote: ConnectionRow.End) -> (rule: String, facing: Facing)? {
        // Packets to an address of this machine go over loopback, whatever interface has it.
        let isLoopback = self.local.contains(remote.address) || remote.address.bytes.first == 127
        let interface = interfaces.first { interface in
            isLoopback ? interface.name == "lo" : interface.name != "lo" && interface.addresses.contains(local.address)
        }
        let packet = Selection.Packet(
            remotes: isLoopback ? [local.address, remote.address] : [remote.address],
            ports: [local.port, remote.port],
            transport: .tcp
        )
        guard let interface, let rule = interface.rules.first(where: { $0.selection.matches(packet) }) else {
            return nil
        }
        return ("\(interface.name)#\(rule.number)", rule.facing)
    }

    /// The rows of sockets besides those of `known` connections; of two sockets that are the ends of one connection,
    /// that of the client.
    func rows(of sockets: [TCPSocketStatus], besides known: Set<ConnectionRow.Ends> = []) -> [ConnectionRow] {
        let all = Set(sockets.map { ConnectionRow.Ends("tcp", $0.localEnd, $0.remoteEnd) })
        return sockets.compactMap { socket in
            let ends = ConnectionRow.Ends("tcp", socket.localEnd, socket.remoteEnd)
            if known.contains(ends) || known.contains(ends.reversed) { return nil }
            // A client's port is chosen by the kernel, above those of services.
            if all.contains(ends.reversed), socket.localPort < socket.remotePort { return nil }
            return row(of: socket)
        }
    }

    private func row(of socket: TCPSocketStatus) -> ConnectionRow {
        var row = ConnectionRow(
            id: "tcp/\(socket.inode)/\(socket.localEnd.text)/\(socket.remoteEnd.text)",
            transport: "tcp",
            client: socket.localEnd,
            peer: socket.remoteEnd,
            state: socket.stateWord
        )
        let found = rule(local: socket.localEnd, remote: socket.remoteEnd)
        row.rule = found?.rule
        guard let counters = socket.counters else { return row }
        row.seen = ConnectionRow.Bytes(up: counters.sent)
        row.delivered = ConnectionRow.Bytes(up: counters.acknowledged, down: counters.received)
        row.retransmissions = UInt64(counters.retransmissions)
        row.idle = Double(counters.silence) / 1_000
        if found?.facing == .peer {
            (row.client, row.peer) = (row.peer, row.client)
            row.seen = ConnectionRow.Bytes(down: row.seen.up)
            row.delivered = ConnectionRow.Bytes(up: row.delivered.down, down: row.delivered.up)
        }
        return row
    }
}

extension TCPSocketStatus {
    var localEnd: ConnectionRow.End { ConnectionRow.End(local, port: localPort) }
    var remoteEnd: ConnectionRow.End { ConnectionRow.End(remote, port: remotePort) }

    /// The words for the numbers of include/net/tcp_states.h.
    fileprivate var stateWord: String {
        switch state {
        case 1: "open"
        case 2, 3, 12: "opening"
        case 4, 5, 8, 9, 11: "closing"
        default: "closed"
        }
    }
}
