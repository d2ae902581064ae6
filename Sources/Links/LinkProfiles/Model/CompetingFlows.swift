// SPDX-License-Identifier: Apache-2.0

/// Traffic of others that shares the bottleneck of a direction. It is computed beside the real packets, and is on no wire.
public struct CompetingFlows: Hashable, Sendable {
    /// What the traffic is.
    public enum Kind: Hashable, Sendable {
        /// Long TCP flows.
        case bulk
        /// A film at this rate, in segments of 4 s, each fetched as fast as TCP can.
        case video(BitRate)
        /// Packets at this rate, which do not react to the link: every 20 ms, or more often where one cannot hold so much.
        case call(BitRate)
        /// Pages, so many a minute on average, each of several short TCP flows.
        case web(pagesPerMinute: Double)
    }

    /// The congestion control of the TCP flows.
    public enum Congestion: String, CaseIterable, Sendable {
        /// RFC 9438.
        case cubic
        /// RFC 5681.
        case reno
    }

    /// What the traffic is.
    public var kind: Kind
    /// The number of such flows, films, calls or readers.
    public var count = 1
    /// The round trip of the TCP flows without the queue; nil for `defaultRoundTrip`.
    public var roundTrip: Duration?
    /// The time since the start of the link at which the traffic begins; nil for its start.
    public var start: Duration?
    /// The time at which it ends; nil for never.
    public var end: Duration?
    /// The congestion control of the TCP flows.
    public var congestion = Congestion.cubic
    /// The bytes of each page; nil for pages as most are, of 2.5 MB in the median.
    public var page: ByteCount?
    /// The number of TCP flows of each page; nil for `defaultConnections`.
    public var connections: Int?

    /// Makes one flow of this kind.
    public init(_ kind: Kind) { self.kind = kind }

    /// The round trip of TCP flows that have none: a content server in the same country (judgement).
    public static let defaultRoundTrip = Duration.milliseconds(40)
    /// The connections that browsers open to a host.
    public static let defaultConnections = 6
}

extension Double {
    /// A rate of pages in words: "3 pages a minute", "1 page a minute".
    var pagesAMinute: String { "\(short) \(self == 1 ? "page" : "pages") a minute" }
}
