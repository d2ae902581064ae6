// SPDX-License-Identifier: Apache-2.0

/// A network address translator at the far end of the link, in the words of RFC 4787. It translates the ports of IPv4.
public struct AddressTranslation: Hashable, Sendable {
    /// The time after which a mapping expires if no packet uses it; nil for never.
    public var idle: Duration?
    /// For which destinations one mapping of a source is used.
    public var mapping = Dependence.endpoint
    /// The senders from which a mapping lets packets in.
    public var filtering = Dependence.endpoint

    /// The part of the other end that a behaviour depends on.
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
