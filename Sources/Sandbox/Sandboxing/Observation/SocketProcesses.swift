// SPDX-License-Identifier: Apache-2.0

internal import InternetAddresses
internal import LinuxSystem
package import PacketPump
internal import SandboxClient

/// The processes that hold the sockets of connections. Sockets are listed, and each looked up once, in at most one part in
/// sixteen of the time: a search of all descriptors takes long, and a client may ask without end. Used on one thread.
package final class SocketProcesses {
    private static let share: Int64 = 16

    /// The processes that may hold sockets.
    private let candidates: () -> [Int32]
    /// The inodes of sockets by their ends; a UDP socket may have none but its port.
    private var inodes: [ConnectionRow.Ends: UInt64] = [:]
    private var ports: [UInt16: UInt64] = [:]
    /// The words for the process by inode; empty for a socket whose process was not found.
    private var known: [UInt64: String] = [:]
    /// The processes of the rows that were named last: a socket that is closed has none any more.
    private var last: [ConnectionRow.Ends: String] = [:]
    private var next = Duration.zero
    private var holders: [Int32] = []

    package init(among candidates: @escaping () -> [Int32]) { self.candidates = candidates }

    /// Sets the processes of the rows, as "curl (1234)", as far as they are known.
    package func name(_ rows: inout [ConnectionRow]) {
        var found: [ConnectionRow.Ends: String] = [:]
        for index in rows.indices {
            let ends = rows[index].ends
            let process = process(of: ends) ?? last[ends]
            found[ends] = process
            rows[index].process = process
        }
        last = found
    }

    private func process(of ends: ConnectionRow.Ends) -> String? {
        let inode = inodes[ends] ?? inodes[ends.reversed] ?? (ends.transport == "udp" ? ports[ends.client.port] : nil)
        return inode.flatMap { known[$0] }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Learns the sockets of the calling thread's network, and looks up the processes of new ones if there is time.
    ///
    /// - Parameter tcp: the inodes of the TCP sockets that some process holds; read here if nil.
    package func update(tcp: [ConnectionRow.Ends: UInt64]? = nil, at now: Duration) {
        guard now >= next else { return }
        let before = ThreadClock.now
        defer { next = now + .nanoseconds((ThreadClock.now - before) * Self.share) }
        let datagrams = SocketTable.entries(in: [.closed, .established], of: "udp") ?? []
        ports = [:]
        for socket in datagrams where socket.inode != 0 { ports[socket.local.port] = socket.inode }
        inodes = tcp ?? Self.connected("tcp", SocketTable.entries(in: [.established, .synSent, .closeWait]) ?? [])
        inodes.merge(Self.connected("udp", datagrams)) { first, _ in first }
        // The kernel may reuse the inode of a socket that is gone.
        let present = Set(inodes.values).union(ports.values)
        known = known.filter { present.contains($0.key) }
        let new = present.subtracting(known.keys)
        if !new.isEmpty { find(new) }
    }

    private static func connected(_ transport: String, _ sockets: [SocketTable.Entry]) -> [ConnectionRow.Ends: UInt64] {
        var inodes: [ConnectionRow.Ends: UInt64] = [:]
        for socket in sockets where socket.inode != 0 && socket.remote.port != 0 {
            guard let local = socket.local.address, let remote = socket.remote.address else { continue }
            let ends = ConnectionRow.Ends(
                transport,
                ConnectionRow.End(local, port: socket.local.port),
                ConnectionRow.End(remote, port: socket.remote.port)
            )
            inodes[ends] = socket.inode
        }
        return inodes
    }

    private func find(_ new: Set<UInt64>) {
        var owners = SocketOwners.find(new, among: holders)
        if owners.count < new.count {
            let others = SocketOwners.find(new.subtracting(owners.keys), among: candidates())
            owners.merge(others) { first, _ in first }
        }
        holders = Array(Set(holders + owners.values.map(\.process)).suffix(100))
        for inode in new { known[inode] = owners[inode]?.name ?? "" }
    }
}
