// SPDX-License-Identifier: Apache-2.0

/// The connection over which a user is logged in, by ssh(1) or mosh(1).
struct LoginConnection: Hashable {
    /// The program that carries the connection.
    enum Program: String {
        /// TCP, between the ports of client and server.
        case ssh = "SSH"
        /// UDP, to one port of the server; the client may change its address and its port.
        case mosh
    }

    let program: Program
    /// The address of the client; with mosh, the address from which the client logged in.
    let peer: AddressPrefix
    /// The port of the client; nil with mosh.
    let peerPort: UInt16?
    /// The address of the server.
    let local: AddressPrefix
    /// The port of the server.
    let localPort: UInt16
    /// The process that revealed the connection: the one with `SSH_CONNECTION` in its environment, or mosh-server(1).
    let processID: Int32
}

extension LoginConnection {
    /// Reads `SSH_CONNECTION` of ssh(1): address and port of the client, then of the server.
    init?(_ text: String, processID: Int32) {
        let fields = text.split(separator: " ")
        guard fields.count == 4, let peer = Self.address(fields[0]), let peerPort = UInt16(fields[1]),
            let local = Self.address(fields[2]), let localPort = UInt16(fields[3])
        else { return nil }
        self.init(
            program: .ssh,
            peer: peer,
            peerPort: peerPort,
            local: local,
            localPort: localPort,
            processID: processID
        )
    }

    /// The connection of mosh-server(1), which the SSH login `login` started.
    init(startedBy login: LoginConnection, server processID: Int32, port: UInt16) {
        self.init(
            program: .mosh,
            peer: login.peer,
            peerPort: nil,
            local: login.local,
            localPort: port,
            processID: processID
        )
    }

    /// The connection's packets, as a rule with this `facing` sees them.
    func traffic(_ facing: Facing) -> RemoteTraffic {
        switch program {
        case .ssh:
            RemoteTraffic(
                remote: facing == .host ? peer : local,
                ports: Set([localPort, peerPort].compactMap { $0 })
            )
        case .mosh: RemoteTraffic(ports: [localPort], transport: .udp)
        }
    }

    /// The port to exclude. It is the server's, and not the client's, so that new logins work, too: this connection may
    /// end.
    var keptPort: UInt16 { localPort }

    private static func address(_ text: Substring) -> AddressPrefix? {
        // Link-local addresses include their zone.
        let bare = text.prefix { $0 != "%" }
        guard !bare.contains("/") else { return nil }
        return AddressPrefix(String(bare))
    }
}

extension LoginConnection: CustomStringConvertible {
    /// The kind of connection, for messages.
    var description: String {
        switch program {
        case .ssh: "the SSH connection of process \(processID) with \(peer) port \(peerPort ?? localPort)"
        case .mosh: "the mosh connection of process \(processID) at UDP port \(localPort)"
        }
    }
}
