// SPDX-License-Identifier: Apache-2.0

/// The SSH connection that a session uses: `SSH_CONNECTION` of ssh(1).
public struct SSHConnection: Hashable, Sendable {
    /// The address of the client.
    public let peer: AddressPrefix
    /// The port of the client.
    public let peerPort: UInt16
    /// The address of the server.
    public let local: AddressPrefix
    /// The port of the server.
    public let localPort: UInt16
    /// The process whose environment names it: the session's shell, or a descendant.
    public let processID: Int32

    /// Reads the variable's value: address and port of the client, then of the server.
    public init?(_ text: String, processID: Int32) {
        let fields = text.split(separator: " ")
        guard fields.count == 4, let peer = Self.address(fields[0]), let peerPort = UInt16(fields[1]),
            let local = Self.address(fields[2]), let localPort = UInt16(fields[3])
        else { return nil }
        self.peer = peer
        self.peerPort = peerPort
        self.local = local
        self.localPort = localPort
        self.processID = processID
    }

    private static func address(_ text: Substring) -> AddressPrefix? {
        // Link-local addresses include their zone.
        let bare = text.prefix { $0 != "%" }
        guard !bare.contains("/") else { return nil }
        return AddressPrefix(String(bare))
    }
}

extension Selection {
    /// Whether the rule would match packets of the connection.
    public func includes(_ connection: SSHConnection) -> Bool {
        let meets = criteria.judge(connection).allSatisfy { $0 ?? true }
        return meets && !exclusions.judge(connection).contains(true)
    }
}

extension Selection.Criteria {
    /// Whether each kind of criterion matches a connection; nil if there is none of the kind.
    fileprivate func judge(_ connection: SSHConnection) -> [Bool?] {
        [
            remotes.isEmpty ? nil : remotes.contains { $0.contains(connection.peer) },
            ports.isEmpty ? nil : ports.contains(connection.peerPort) || ports.contains(connection.localPort),
            protocols.isEmpty ? nil : protocols.contains(.tcp),
        ]
    }
}

extension AddressPrefix {
    /// Whether the range contains an address.
    func contains(_ other: AddressPrefix) -> Bool {
        guard bytes.count == other.bytes.count, length <= other.length else { return false }
        return zip(bytes, other.bytes).enumerated().allSatisfy { index, pair in
            let kept = min(max(length - index * 8, 0), 8)
            return pair.0 == pair.1 & UInt8(truncatingIfNeeded: 0xFF00 >> kept)
        }
    }
}
