// SPDX-License-Identifier: Apache-2.0

/// A fault of a network: a match of packets, and an action on them.
public struct Fault: Hashable, Sendable {
    /// The largest number of faults in a profile.
    public static let mostInProfile = 64

    /// The packets that the fault happens to.
    public var match: FaultMatch
    /// The action of the fault.
    public var action: FaultAction

    /// Makes a fault.
    public init(_ match: FaultMatch = FaultMatch(), _ action: FaultAction) {
        (self.match, self.action) = (match, action)
    }

    /// Whether the fault ends idle connections without waiting for a packet.
    package var endsIdleConnections: Bool {
        if case .idle = match.after { action.endsConnection } else { false }
    }

    /// Whether the fault, when it comes into effect, also ends the connections that are open at that time.
    package var endsOpenConnections: Bool { action.endsConnection && !match.isNarrow && match.direction == nil }
}

/// The mark of a fault on a packet: the fault's number in the profile, and its effect.
public struct FaultMark: Hashable, Sendable {
    /// The effect of a fault on a packet, without its figures.
    public enum Effect: UInt8, CaseIterable, Hashable, Sendable {
        /// The packet is lost.
        case lose
        /// The packet is lost, and so are all later packets of its connection.
        case loseFromHere
        /// An RST or an ICMP error answers it.
        case refuse
        /// Both ends get an RST.
        case reset
        /// Both ends get a FIN, and then an RST for data that they still send.
        case close
        /// Both ends get a FIN, and data that they still send is acknowledged.
        case halfClose
        /// The data is acknowledged with a window of zero, and never delivered.
        case stall
        /// A DNS query is answered in the server's name.
        case answer
        /// A DNS query is held back.
        case hold
        /// A captive portal answers.
        case portal
    }

    /// The fault's number in its profile, from 1 on.
    public let number: UInt8
    /// The effect of the fault.
    public let effect: Effect

    /// Makes a mark.
    public init(_ number: UInt8, _ effect: Effect) { (self.number, self.effect) = (number, effect) }

    /// The mark's name in logs and reports: "fault 2: reset".
    public var name: String { "fault \(number): \(effect)" }

    /// The mark's name without a space: "fault2:reset".
    package var word: String { "fault\(number):\(effect)" }

    /// Reads a mark from ``name`` or from its form without a space; nil for any other text.
    public init?(name: some StringProtocol) {
        let parts = String(name.filter { $0 != " " }).split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].hasPrefix("fault"), let number = UInt8(parts[0].dropFirst(5)), number > 0,
            let effect = Effect.allCases.first(where: { "\($0)" == parts[1] })
        else { return nil }
        self.init(number, effect)
    }
}
