// SPDX-License-Identifier: Apache-2.0

public import InternetAddresses

/// The result of one probe, with its details.
public struct Observation: Hashable, Sendable {
    /// The finding of a probe, or of a route lookup.
    public enum Finding: Hashable, Sendable {
        /// The target answered as expected, after this time.
        case answered(Duration)
        /// The target did not answer, for this reason.
        case failed(Reason)
        /// The kernel refuses to send to the target, so that no probe is needed to confirm it.
        case impossible(Reason)
        /// Nothing is known about the target, for a reason that concerns the monitor.
        case nothing(Reason)
    }

    /// The finding.
    public var finding: Finding
    /// The router or host that sent the ICMP error behind the finding; nil if there is none.
    public var offender: IPAddress?
    /// The kernel's error number (errno(3)) behind the finding; nil if there is none.
    public var errorNumber: Int32?
    /// The type and code of the ICMP error behind the finding; nil if there is none.
    public var icmp: ICMPError?
    /// The hop limit (TTL) with which the reply arrived.
    public var hopLimit: UInt8?
    /// How long each part of the probe took.
    public var phases: [Phase: Duration] = [:]
    /// The status code of an HTTP response.
    public var status: Int?
    /// Where a redirect or a portal leads to.
    public var location: String?
    /// The addresses in a DNS response.
    public var addresses: [IPAddress] = []
    /// The lowest time to live among the records of a DNS response.
    public var timeToLive: Duration?
    /// When the server's certificate expires, in seconds since 1970.
    public var certificateEnd: Int64?
    /// The TLS version, such as "TLSv1.3".
    public var tlsVersion: String?
    /// Further details in words: an alert's name, the names in a certificate.
    public var detail: String?

    /// Makes an observation without further details.
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

    /// The parts of a probe, named as in the Prometheus blackbox exporter.
    public enum Phase: String, CaseIterable, Codable, Sendable {
        case resolve, connect, tls, processing, transfer
    }
}
