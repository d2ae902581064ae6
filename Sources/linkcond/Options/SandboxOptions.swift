// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkConditioning
import Netlink
import ProfileCatalog
import Sandboxing

/// The options of a private network.
struct SandboxOptions: ParsableArguments {
    @Flag(name: .long, help: "No uplink: the command has loopback only.")
    var offline = false

    @Option(
        name: .long,
        help: """
            Relay this port of the host's loopback: "5432", "53/udp", "auto" for all TCP ports; \
            can be given more than once.
            """,
        transform: { text in
            guard text != "auto" else { return nil }
            guard let port = HostPort(text) else {
                throw ValidationError("'\(text)' is not a port such as 5432 or 53/udp, nor auto")
            }
            return port
        }
    )
    var hostPort: [HostPort?] = []

    @Option(name: .long, help: "Log every packet to this file, one line each (userspace engine).")
    var log: String?

    var isEmpty: Bool { !offline && hostPort.isEmpty && log == nil }

    /// The sandbox.
    func sandbox(
        _ request: RuleRequest?,
        engine: Engine?,
        catalog: Catalog,
        account: Account?
    ) throws -> Sandbox {
        var program: UplinkProgram?
        if !offline {
            program = UplinkProgram.find()
            guard program != nil else {
                throw Failure(.unavailable, "no program for an uplink is installed\ntry: \(UplinkProgram.remedy)")
            }
        }
        return Sandbox(
            request: request,
            engine: engine,
            log: log,
            uplinkProgram: program,
            hostPorts: HostPortChoice(ports: hostPort.compactMap { $0 }, isEverything: hostPort.contains(nil)),
            catalog: catalog,
            account: account
        )
    }
}
