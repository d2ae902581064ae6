// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinkConditioning
internal import LinuxSystem

/// The services of the host's loopback to relay into a sandbox.
package struct HostPortChoice: Sendable {
    let ports: [HostPort]
    /// Whether to add every TCP port that has a listener when the sandbox is made.
    let isEverything: Bool

    package init(ports: [HostPort], isEverything: Bool) {
        self.ports = ports
        self.isEverything = isEverything
    }
}

/// The relayed services of the host's loopback, and the relay process, which stays in the host's network.
struct HostServices {
    let process: pid_t
    private let relay: MessageChannel
    private let services: [(port: HostPort, address: LoopbackAddress)]

    /// Finds the services and starts the relay process; nil if no service was chosen. The error names a port without a
    /// listener.
    static func fork(_ choice: HostPortChoice) throws(SandboxError) -> HostServices? {
        guard choice.isEverything || !choice.ports.isEmpty else { return nil }
        let present = try ListeningSockets.current()
        let ports = choice.ports + (choice.isEverything ? present.tcpPorts.filter { !choice.ports.contains($0) } : [])
        var services: [(HostPort, LoopbackAddress)] = []
        for port in ports {
            let addresses = present.addresses(of: port)
            guard !addresses.isEmpty else {
                throw SandboxError("nothing listens on port \(port) of this machine's loopback", remedy: "ss -ltun")
            }
            services += addresses.map { (port, $0) }
        }
        let (mine, theirs) = try onSystem(MessageChannel.pair())
        let process = try onSystem(
            HelperProcess.start("lc-relay", "brings services of the host into a sandbox", keeping: [theirs]) {
                PortRelay.serve(theirs)
            }
        )
        theirs.close()
        return HostServices(process: process.id, relay: mine, services: services)
    }

    /// Opens listeners at the services' addresses in the network that this process is in.
    func open() throws(SandboxError) {
        for (port, address) in services {
            let listener = try Listener.open(port, at: address)
            defer { close(listener) }
            try checked(relay.send(descriptor: listener), "pass port \(port) to the relay")
        }
    }
}
