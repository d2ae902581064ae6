// SPDX-License-Identifier: Apache-2.0

/// A network address translator (NAT) for IPv4 at the far end of the link, with the behaviours of RFC 4787.
public struct AddressTranslation: Hashable, Sendable {
    /// The time after which a mapping expires if no packet uses it; nil for never.
    public var idle: Duration?
    /// The destinations for which packets of one source share a mapping.
    public var mapping = Dependence.endpoint
    /// The senders whose packets a mapping lets in.
    public var filtering = Dependence.endpoint

    /// The part of the remote endpoint that a behaviour depends on.
    public enum Dependence: String, CaseIterable, Hashable, Sendable {
        /// Nothing: endpoint-independent.
        case endpoint
        /// The address: address-dependent.
        case address
        /// Both: address and port-dependent.
        case addressAndPort = "address and port"
    }

    /// Makes a translator whose mappings never expire, and let all packets in.
    public init() {}

    /// The behaviour in words.
    public var words: String {
        let expiry = idle.map { "mappings expire after \($0.text)" }
        let mapped = mapping == .endpoint ? nil : "one for each \(mapping.rawValue) of the other end"
        let filtered = filtering == .endpoint ? nil : "packets from the known \(filtering.rawValue) only"
        return (["NAT"] + [expiry, mapped, filtered].compactMap { $0 }).joined(separator: ", ")
    }
}
