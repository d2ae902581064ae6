// SPDX-License-Identifier: Apache-2.0

/// The connection that somebody works over: `SSH_CONNECTION` of ssh(1).
public struct SSHConnection: Hashable, Sendable {
    /// The address of the end that the user sits at.
    public let peer: AddressPrefix
    /// The port there.
    public let peerPort: UInt16
    /// The address of this end.
    public let local: AddressPrefix
    /// The port here, at which sshd answers.
    public let localPort: UInt16
    /// The process in whose environment it was found: the shell of the session, or one below it.
    public let processID: Int32

    /// Reads the variable's value: both ends' address and port, the peer's first.
    public init?(_ text: String, processID: Int32) {
        let words = text.split(separator: " ")
        guard words.count == 4, let peer = Self.address(words[0]), let peerPort = UInt16(words[1]),
            let local = Self.address(words[2]), let localPort = UInt16(words[3])
        else { return nil }
        self.peer = peer
        self.peerPort = peerPort
        self.local = local
        self.localPort = localPort
        self.processID = processID
    }

    private static func address(_ text: Substring) -> AddressPrefix? {
        // Link-local addresses come with their zone.
        let bare = text.prefix { $0 != "%" }
        guard !bare.contains("/") else { return nil }
        return AddressPrefix(String(bare))
    }
}

extension Selection {
    /// Whether the rule would be about packets of a TCP connection.
    public func includes(_ connection: SSHConnection) -> Bool {
        let meets = criteria.judge(connection).allSatisfy { $0 ?? true }
        return meets && !exclusions.judge(connection).contains(true)
    }
}

extension Selection.Criteria {
    /// What each kind of criterion says of a connection; nil where it asks nothing.
    fileprivate func judge(_ connection: SSHConnection) -> [Bool?] {
        [
            remotes.isEmpty ? nil : remotes.contains { $0.contains(connection.peer) },
            ports.isEmpty ? nil : ports.contains(connection.peerPort) || ports.contains(connection.localPort),
            protocols.isEmpty ? nil : protocols.contains(.tcp),
        ]
    }
}

extension AddressPrefix {
    /// Whether an address lies in the range.
    func contains(_ other: AddressPrefix) -> Bool {
        guard bytes.count == other.bytes.count, length <= other.length else { return false }
        return zip(bytes, other.bytes).enumerated().allSatisfy { index, pair in
            let kept = min(max(length - index * 8, 0), 8)
            return pair.0 == pair.1 & UInt8(truncatingIfNeeded: 0xFF00 >> kept)
        }
    }
}
