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

    /// A client's endpoint. UDP ports and echo identifiers are separate number spaces.
    struct Client: Hashable {
        var end: FlowEndpoint
        var isEcho: Bool
    }

    struct Flow {
        let client: Client
        /// The flow's socket; nil until it is open.
        var socket: CInt?
        /// The identifier of a raw socket for echoes; 0 for another socket.
        var identifier: UInt16 = 0
        /// Whether routers may fragment the socket's datagrams, as it was set last; nil before the first datagram.
        var mayBeCut: Bool?
        var waiting: [Waiting] = []
        /// The time of the flow's latest packet, in nanoseconds since a fixed moment.
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

    /// Finds a client's flow, or adds one. For a new flow, the caller has to have a socket opened.
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

    /// The least recently used flow, which has to end for a new one; nil while there is room.
    var oldestIfFull: UInt64? {
        flows.count <= Self.maximum ? nil : flows.min { $0.value.lastUse < $1.value.lastUse }?.key
    }

    var isWaiting: Bool { waitingCount > 0 }

    mutating func wait(_ datagram: Waiting, for number: UInt64) {
        guard waitingCount < Self.maximumWaiting, flows[number] != nil else { return }
        flows[number]?.waiting.append(datagram)
        waitingCount += 1
    }

    /// Stores a flow's socket; returns the datagrams that waited for it. Nil if the flow has ended, or has a socket
    /// already.
    mutating func open(_ number: UInt64, _ socket: CInt, identifier: UInt16 = 0) -> [Waiting]? {
        guard let flow = flows[number], flow.socket == nil else { return nil }
        flows[number]?.socket = socket
        flows[number]?.identifier = identifier
        flows[number]?.waiting = []
        waitingCount -= flow.waiting.count
        precondition(waitingCount >= 0, "more datagrams go on than waited")
        return flow.waiting
    }

    /// Records whether routers may fragment a flow's next datagram; returns whether that differs from the datagram
    /// before.
    mutating func permitsOtherwise(_ number: UInt64, _ mayBeCut: Bool) -> Bool {
        guard flows[number]?.mayBeCut != mayBeCut else { return false }
        flows[number]?.mayBeCut = mayBeCut
        return true
    }

    /// The flows that were idle for longer than `longestIdle`.
    func idle(now: Int64) -> [UInt64] {
        flows.filter { now - $0.value.lastUse > Self.longestIdle }.map(\.key)
    }

    mutating func use(_ number: UInt64, now: Int64) { flows[number]?.lastUse = now }

    /// Removes a flow, and returns it.
    mutating func remove(_ number: UInt64) -> Flow? {
        guard let flow = flows.removeValue(forKey: number) else { return nil }
        waitingCount -= flow.waiting.count
        precondition(waitingCount >= 0, "more datagrams go on than waited")
        numbers[flow.client] = nil
        precondition(flows.count == numbers.count, "a flow without its number")
        return flow
    }
}
