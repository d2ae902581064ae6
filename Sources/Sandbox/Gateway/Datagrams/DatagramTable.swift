// SPDX-License-Identifier: Apache-2.0

/// The sockets for clients' datagrams: one for each address and port that a client sends from, whatever the destination, so that
/// all servers see the same port (RFC 4787, REQ-1).
struct DatagramTable {
    /// A datagram that waits for its socket.
    struct Waiting {
        var payload: [UInt8]
        var destination: FlowEndpoint
        var header: DatagramHeader
    }

    /// A client's end. Ports of UDP and identifiers of echo are apart.
    struct Client: Hashable {
        var end: FlowEndpoint
        var isEcho: Bool
    }

    struct Flow {
        let client: Client
        /// The socket; nil until there is one.
        var socket: CInt?
        /// The identifier of a raw socket for echoes; 0 for another socket.
        var identifier: UInt16 = 0
        /// Whether the socket's datagrams may be cut on their way: as it was set last; nil before.
        var mayBeCut: Bool?
        var waiting: [Waiting] = []
        /// The time of its last packet, in nanoseconds since a fixed moment.
        var lastUse: Int64
    }

    /// The most flows, and the most datagrams that wait for their sockets.
    private static let (maximum, maximumWaiting) = (4_096, 4_096)
    /// The time for which a flow may be idle, in nanoseconds: twice what RFC 4787 recommends (REQ-5).
    private static let longestIdle: Int64 = 600_000_000_000

    private(set) var flows: [UInt64: Flow] = [:]
    private var numbers: [Client: UInt64] = [:]
    private var next: UInt64 = 0
    private var waitingCount = 0

    /// The number of a client's flow, and whether it is new: its socket has to be opened then.
    mutating func flow(of client: Client, now: Int64) -> (number: UInt64, isNew: Bool) {
        if let number = numbers[client] {
            flows[number]?.lastUse = now
            return (number, false)
        }
        let number = next
        next += 1
        flows[number] = Flow(client: client, lastUse: now)
        numbers[client] = number
        precondition(flows.count == numbers.count, "a flow without its number")
        return (number, true)
    }

    /// The flow to end for a new one: that which was not used for longest; nil while there is room.
    var oldestIfFull: UInt64? {
        flows.count <= Self.maximum ? nil : flows.min { $0.value.lastUse < $1.value.lastUse }?.key
    }

    var isWaiting: Bool { waitingCount > 0 }

    mutating func wait(_ datagram: Waiting, for number: UInt64) {
        guard waitingCount < Self.maximumWaiting, flows[number] != nil else { return }
        flows[number]?.waiting.append(datagram)
        waitingCount += 1
    }

    /// Gives a flow its socket; returns what has waited for it. Nil if the flow has ended.
    mutating func open(_ number: UInt64, _ socket: CInt, identifier: UInt16 = 0) -> [Waiting]? {
        guard let flow = flows[number], flow.socket == nil else { return nil }
        flows[number]?.socket = socket
        flows[number]?.identifier = identifier
        flows[number]?.waiting = []
        waitingCount -= flow.waiting.count
        precondition(waitingCount >= 0, "more datagrams go on than waited")
        return flow.waiting
    }

    /// Whether a flow's datagrams have another permission to be cut than the one before.
    mutating func permitsOtherwise(_ number: UInt64, _ mayBeCut: Bool) -> Bool {
        guard flows[number]?.mayBeCut != mayBeCut else { return false }
        flows[number]?.mayBeCut = mayBeCut
        return true
    }

    /// The flows that were not used for long.
    func idle(now: Int64) -> [UInt64] {
        flows.filter { now - $0.value.lastUse > Self.longestIdle }.map(\.key)
    }

    mutating func use(_ number: UInt64, now: Int64) { flows[number]?.lastUse = now }

    /// Ends a flow; returns it.
    mutating func remove(_ number: UInt64) -> Flow? {
        guard let flow = flows.removeValue(forKey: number) else { return nil }
        waitingCount -= flow.waiting.count
        precondition(waitingCount >= 0, "more datagrams go on than waited")
        numbers[flow.client] = nil
        precondition(flows.count == numbers.count, "a flow without its number")
        return flow
    }
}
