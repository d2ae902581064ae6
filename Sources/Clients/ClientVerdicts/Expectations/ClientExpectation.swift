// SPDX-License-Identifier: Apache-2.0

public import ClientTraffic

/// An expectation of a client's behaviour, judged by its packets and its process.
///
/// As text, in scenarios and after `--expect`, it is a line such as `at most 6 connection attempts during 'in the lift'`.
public struct ClientExpectation: Hashable, Sendable {
    /// Things that can be counted on the wire.
    public enum Countable: String, Hashable, Sendable, CaseIterable {
        /// All connections, including those that were never accepted.
        case connections
        /// Connections that were open at the same time.
        case connectionsAtATime = "connections at a time"
        /// Connections that the client started to open. The kernel's retransmitted SYNs do not count.
        case connectionAttempts = "connection attempts"
        /// HTTP/1 requests in the clear.
        case requests
        /// DNS queries, retransmissions included.
        case dnsQueries = "DNS queries"
        /// Packets in which the client's side retransmitted data.
        case retransmissions
        /// Bytes of IP packets in both directions.
        case bytes
    }

    /// The kind of an expectation.
    public enum Kind: Hashable, Sendable {
        /// The command ends within this time.
        case completes(within: Duration)
        /// The command exits with this status.
        case exits(with: Int32)
        /// The first byte of an answer arrives within this time after the first attempt, or after the label.
        case firstByte(within: Duration)
        /// The client gives up connections without an answer at the label, or during it, within this time.
        case timesOut(within: Duration)
        /// The client closes connections that were open at the label within this time.
        case closes(within: Duration)
        /// A byte of an answer arrives within this time after the label.
        case recovers(within: Duration)
        /// At most this many are counted.
        case atMost(Int, Countable)
        /// The gaps between attempts to one peer grow, up to a cap.
        case attemptsBackOff
        /// After the command's end, no process that it left running holds a connection.
        case leavesNoConnectionOpen
        /// The client does not repeat a request after its connection failed, unless the method is safe to repeat.
        case sendsNoRequestTwice
        /// If an attempt over IPv6 gets no answer, an attempt over IPv4 to the same name starts within this time.
        case usesIPv4(within: Duration)
        /// If UDP to a peer gets no answer, a TCP connection to it starts within this time.
        case fallsBackToTCP(within: Duration)
        /// A QUIC connection from before the label continues within this time after it.
        case migrates(within: Duration)
        /// A request whose answer was interrupted is repeated for the rest only.
        case resumes
        /// Within this time after the label, the client queries a name that it had queried before the label.
        case asksDNSAgain(within: Duration)
        /// On each connection, at most this time passes between two packets of the client.
        case sendsKeepAlives(every: Duration)
        /// The client's traffic and the monitor's verdicts do not contradict each other.
        case monitorAgrees
    }

    /// The kind of expectation, with its limit.
    public var kind: Kind
    /// The only peer that counts; nil for all.
    public var peer: Peer?
    /// The step or mark that the expectation is about; nil for the whole run.
    public var label: String?

    /// Describes an expectation.
    public init(_ kind: Kind, to peer: Peer? = nil, label: String? = nil) {
        (self.kind, self.peer, self.label) = (kind, peer, label)
    }
}

extension ClientExpectation {
    /// `completes within 30 s`
    public static func completes(within limit: Duration) -> ClientExpectation {
        ClientExpectation(.completes(within: limit))
    }

    /// `exits with 0`
    public static func exits(with status: Int32) -> ClientExpectation { ClientExpectation(.exits(with: status)) }

    /// `first byte to HOST:PORT within 2 s of 'label'`
    public static func firstByte(within limit: Duration, of label: String? = nil, to peer: Peer? = nil)
        -> ClientExpectation
    {
        ClientExpectation(.firstByte(within: limit), to: peer, label: label)
    }

    /// `times out to HOST:PORT within 10 s of 'label'`
    public static func timesOut(within limit: Duration, of label: String, to peer: Peer? = nil) -> ClientExpectation {
        ClientExpectation(.timesOut(within: limit), to: peer, label: label)
    }

    /// `closes to HOST:PORT within 1 s of 'label'`
    public static func closes(within limit: Duration, of label: String, to peer: Peer? = nil) -> ClientExpectation {
        ClientExpectation(.closes(within: limit), to: peer, label: label)
    }

    /// `recovers to HOST:PORT within 5 s of 'label'`
    public static func recovers(within limit: Duration, of label: String, to peer: Peer? = nil) -> ClientExpectation {
        ClientExpectation(.recovers(within: limit), to: peer, label: label)
    }

    /// `at most 5 connection attempts to HOST:PORT during 'label'`
    public static func atMost(
        _ limit: Int,
        _ what: Countable,
        to peer: Peer? = nil,
        during label: String? = nil
    ) -> ClientExpectation {
        ClientExpectation(.atMost(limit, what), to: peer, label: label)
    }

    /// `attempts to HOST:PORT back off during 'label'`
    public static func attemptsBackOff(to peer: Peer? = nil, during label: String? = nil) -> ClientExpectation {
        ClientExpectation(.attemptsBackOff, to: peer, label: label)
    }

    /// `uses IPv4 to HOST:PORT within 500 ms during 'label'`
    public static func usesIPv4(within limit: Duration, to peer: Peer? = nil, during label: String? = nil)
        -> ClientExpectation
    {
        ClientExpectation(.usesIPv4(within: limit), to: peer, label: label)
    }

    /// `asks DNS again to HOST within 10 s of 'label'`: for the name HOST
    public static func asksDNSAgain(within limit: Duration, of label: String, to peer: Peer? = nil)
        -> ClientExpectation
    {
        ClientExpectation(.asksDNSAgain(within: limit), to: peer, label: label)
    }

    /// `sends keep-alives to HOST:PORT at least every 20 s`
    public static func sendsKeepAlives(every limit: Duration, to peer: Peer? = nil) -> ClientExpectation {
        ClientExpectation(.sendsKeepAlives(every: limit), to: peer)
    }

    /// `falls back to TCP to HOST:PORT within 2 s during 'label'`
    public static func fallsBackToTCP(within limit: Duration, to peer: Peer? = nil, during label: String? = nil)
        -> ClientExpectation
    {
        ClientExpectation(.fallsBackToTCP(within: limit), to: peer, label: label)
    }

    /// `migrates to HOST:PORT within 2 s of 'label'`
    public static func migrates(within limit: Duration, of label: String, to peer: Peer? = nil) -> ClientExpectation {
        ClientExpectation(.migrates(within: limit), to: peer, label: label)
    }

    /// `resumes to HOST:PORT`
    public static func resumes(to peer: Peer? = nil) -> ClientExpectation { ClientExpectation(.resumes, to: peer) }

    /// `leaves no connection open`
    public static var leavesNoConnectionOpen: ClientExpectation { ClientExpectation(.leavesNoConnectionOpen) }

    /// `sends no request twice`
    public static var sendsNoRequestTwice: ClientExpectation { ClientExpectation(.sendsNoRequestTwice) }

    /// `monitor agrees`
    public static var monitorAgrees: ClientExpectation { ClientExpectation(.monitorAgrees) }
}
