// SPDX-License-Identifier: Apache-2.0

public import InternetAddresses

/// The result of one probe, with its details.
public struct Observation: Hashable, Sendable {
    /// The finding of a probe, or of a route lookup.
    public enum Finding: Hashable, Sendable {
        /// The target answered as it should, after this time.
        case answered(Duration)
        /// The target did not answer, for this reason.
        case failed(Reason)
        /// The kernel refuses to send to it: no probe has to confirm that.
        case impossible(Reason)
        /// Nothing is known, for a reason of the monitor's own.
        case nothing(Reason)
    }

    /// The finding.
    public var finding: Finding
    /// The router or host that sent the ICMP error.
    public var offender: IPAddress?
    /// The error number of the kernel, if the finding comes from one (errno(3)).
    public var errorNumber: Int32?
    /// Type and code of the ICMP error.
    public var icmp: ICMPError?
    /// Hops that the answer had left (TTL).
    public var hopLimit: UInt8?
    /// The durations of the parts.
    public var phases: [Phase: Duration] = [:]
    /// The status of an HTTP answer.
    public var status: Int?
    /// The target of a redirect or portal.
    public var location: String?
    /// The addresses in a DNS answer.
    public var addresses: [IPAddress] = []
    /// The least time to live among the records of a DNS answer.
    public var timeToLive: Duration?
    /// The end of the first certificate of the chain, in seconds since 1970.
    public var certificateEnd: Int64?
    /// The version of TLS, as "TLSv1.3".
    public var tlsVersion: String?
    /// Further words for people: an alert's name, what the certificate bears.
    public var detail: String?

    /// Makes an observation of which no more is known.
    public init(_ finding: Finding, errorNumber: Int32? = nil) {
        (self.finding, self.errorNumber) = (finding, errorNumber)
    }

    /// Type and code of an ICMP or ICMPv6 error.
    public struct ICMPError: Hashable, Codable, Sendable {
        /// The type.
        public var type: UInt8
        /// The code within the type.
        public var code: UInt8
    }

    /// Parts of a probe, with the names of the blackbox exporter.
    public enum Phase: String, CaseIterable, Codable, Sendable {
        case resolve, connect, tls, processing, transfer
    }
}
