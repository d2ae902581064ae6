// SPDX-License-Identifier: Apache-2.0

/// The sockets for clients' datagrams: one for each address and port that a client sends from, whatever the destination, so that
/// all servers see the same port (RFC 4787, REQ-1).
struct DatagramTable {
    /// A datagram that waits for its socket.
    struct Waiting {
        var payload: [UInt8]
        var destination: Endpoint
    }

    /// A client's end. Ports of UDP and identifiers of echo are apart.
    struct Client: Hashable {
        var end: Endpoint
        var isEcho: Bool
    }

    struct Flow {
        let client: Client
        /// Nil until there is one.
        var socket: CInt?
        var waiting: [Waiting] = []
        /// When something last went through it, in nanoseconds since a fixed moment.
        var lastUse: Int64
    }

    /// How many there may be, and how many datagrams may wait for their sockets.
    private static let (most, mostWaiting) = (4_096, 4_096)

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
        return (number, true)
    }

    /// The flow to end for a new one: that which was not used for longest; nil while there is room.
    var oldestIfFull: UInt64? {
        flows.count <= Self.most ? nil : flows.min { $0.value.lastUse < $1.value.lastUse }?.key
    }

    mutating func wait(_ datagram: Waiting, for number: UInt64) {
        guard waitingCount < Self.mostWaiting, flows[number] != nil else { return }
        flows[number]?.waiting.append(datagram)
        waitingCount += 1
    }

    /// Gives a flow its socket; returns what has waited for it. Nil if the flow has ended.
    mutating func open(_ number: UInt64, _ socket: CInt) -> [Waiting]? {
        guard let flow = flows[number], flow.socket == nil else { return nil }
        flows[number]?.socket = socket
        flows[number]?.waiting = []
        waitingCount -= flow.waiting.count
        return flow.waiting
    }

    mutating func use(_ number: UInt64, now: Int64) { flows[number]?.lastUse = now }

    /// Ends a flow; returns it.
    mutating func remove(_ number: UInt64) -> Flow? {
        guard let flow = flows.removeValue(forKey: number) else { return nil }
        waitingCount -= flow.waiting.count
        numbers[flow.client] = nil
        return flow
    }
}
