// SPDX-License-Identifier: Apache-2.0

internal import InternetAddresses
internal import LinkProfiles
internal import LinuxSystem
internal import Netlink
internal import PacketPump
internal import SandboxClient

/// The processes that hold sockets. Each is looked up once, in at most one part in sixteen of the time: a search of all
/// descriptors takes long.
struct SocketProcesses {
    private static let share: Int64 = 16

    /// The inodes of sockets by their ends; a UDP socket may have none but its port.
    private var inodes: [Ends: UInt64] = [:]
    private var ports: [UInt16: UInt64] = [:]
    /// The words for the process by inode; empty for a socket whose process was not found.
    private var known: [UInt64: String] = [:]
    private var next = Duration.zero
    private var holders: [Int32] = []

    /// The process of a connection, as "curl (1234)"; nil if it is not known.
    func name(of ends: Ends) -> String? {
        let inode = inodes[ends] ?? inodes[ends.reversed] ?? (ends.transport == "udp" ? ports[ends.client.port] : nil)
        return inode.flatMap { known[$0] }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Learns the sockets of the present network, and looks up the processes of new ones if there is time.
    mutating func update(_ sockets: [TCPSocketStatus], at now: Duration) {
        (inodes, ports) = ([:], [:])
        for socket in sockets where socket.inode != 0 {
            let ends = (
                ConnectionRow.End(socket.local, port: socket.localPort),
                ConnectionRow.End(socket.remote, port: socket.remotePort)
            )
            inodes[Ends("tcp", ends.0, ends.1)] = socket.inode
        }
        for socket in SocketTable.entries(in: [.closed, .established], of: "udp") ?? [] where socket.inode != 0 {
            ports[socket.local.port] = socket.inode
            guard socket.remote.port != 0, let local = socket.local.address, let remote = socket.remote.address else {
                continue
            }
            let ends = (
                ConnectionRow.End(local, port: socket.local.port), ConnectionRow.End(remote, port: socket.remote.port)
            )
            inodes[Ends("udp", ends.0, ends.1)] = socket.inode
        }
        // The kernel may reuse the inode of a socket that is gone.
        let present = Set(inodes.values).union(ports.values)
        known = known.filter { present.contains($0.key) }
        let new = present.subtracting(known.keys)
        guard !new.isEmpty, now >= next else { return }
        let before = ThreadClock.now
        find(new)
        next = now + .nanoseconds((ThreadClock.now - before) * Self.share)
    }

    private mutating func find(_ new: Set<UInt64>) {
        var owners = SocketOwners.find(new, among: holders)
        if owners.count < new.count {
            let others = SocketOwners.find(
                new.subtracting(owners.keys),
                among: DirectoryListing.numbers(in: "/proc")
            )
            owners.merge(others) { first, _ in first }
        }
        holders = Array(Set(holders + owners.values.map(\.process)).suffix(100))
        for inode in new { known[inode] = owners[inode]?.name ?? "" }
    }
}

/// The names of peers, from the DNS answers that pumps have carried.
struct PeerNames {
    /// The number of names after which all are forgotten.
    private static let maximum = 10_000

    private var names: [IPAddress: String] = [:]
    /// The page of each rule, and the number of the next name in it.
    private var read: [String: (page: FlowPage, next: UInt64)] = [:]

    subscript(address: IPAddress) -> String? { names[address] }

    /// Reads the names that are new in a page of flows.
    mutating func read(_ page: FlowPage, of rule: String) {
        let start = read[rule].flatMap { $0.page === page ? $0.next : nil } ?? 0
        let (found, next) = page.names(from: start)
        read[rule] = (page, next)
        if names.count + found.count > Self.maximum { names = [:] }
        for (address, name) in found { names[address] = name }
    }
}

/// The times at which sockets were first seen.
struct SocketBirths {
    private var births: [String: Duration?] = [:]
    private var hasLooked = false

    /// Seconds since a socket was made; nil for one that was there before the first look.
    func age(of id: String, at now: Duration) -> Double? {
        guard let birth = births[id.split(separator: "/").prefix(2).joined(separator: "/")] ?? nil else { return nil }
        return max(0, (now - birth) / .seconds(1))
    }

    mutating func update(_ ids: [String], at now: Duration) {
        let before = births
        births = [:]
        for id in ids { births[id] = .some(before[id] ?? (hasLooked ? now : nil)) }
        hasLooked = true
    }
}
