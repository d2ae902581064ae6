// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkConditioning
import ProfileCatalog
import Sandboxing
import Trials

/// The connections of a private network to the host and its network.
struct UplinkOptions: ParsableArguments {
    @Flag(name: .long, help: "No uplink: the command has loopback only.")
    var offline = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            """
            Relay this port of the host's loopback: "5432", "53/udp", "auto" for all TCP ports; \
            can be given more than once.
            """,
            valueName: "PORT"
        ),
        transform: { text in
            guard text != "auto" else { return nil }
            guard let port = HostPort(text) else {
                throw ValidationError("'\(text)' is not a port such as 5432 or 53/udp, nor auto")
            }
            return port
        }
    )
    var hostPort: [HostPort?] = []

    @Flag(
        name: .long,
        help: "End at once with the command, whatever it has sent that has not arrived; else that has 10 s."
    )
    var noDrain = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The congestion control with which servers over the uplink send (default: cubic).",
            valueName: "NAME"
        )
    )
    var serverCongestion: String?

    var isEmpty: Bool { !offline && hostPort.isEmpty && !noDrain && serverCongestion == nil }

    /// Makes the private network around a command.
    func sandbox(
        around command: WrappedCommand,
        _ conditions: RunConditions?,
        _ catalog: CatalogOptions,
        engine: Engine? = nil,
        log: String? = nil
    ) throws -> Sandbox {
        var sandbox = Sandbox(
            conditions,
            engine: engine,
            isOffline: offline,
            hostPorts: HostPortChoice(ports: hostPort.compactMap { $0 }, isEverything: hostPort.contains(nil)),
            log: log,
            // With --user, the control socket serves another user, for whom directories must not be read with root's
            // privileges.
            catalog: command.account == nil ? catalog.catalog : Catalog(directories: [])
        )
        (sandbox.drains, sandbox.serverCongestion) = (!noDrain, serverCongestion)
        return sandbox
    }

    /// The options as typed on a command line.
    var words: [String] {
        (offline ? ["--offline"] : []) + (noDrain ? ["--no-drain"] : [])
            + (serverCongestion.map { ["--server-congestion", $0] } ?? [])
            + hostPort.flatMap { ["--host-port", $0.map { "\($0)" } ?? "auto"] }
    }
}

/// The file that keeps the packets of a private network.
struct PacketFileOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp("Write every packet, and what became of it, to this file (pcapng).", valueName: "FILE")
    )
    var capture: String?
}

/// Options of that file that few need, and a file of text beside it.
struct RarePacketFileOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp("Log every packet to this file, one line each (userspace engine).", valueName: "FILE")
    )
    var log: String?

    @Option(
        name: .customLong("capture-snap"),
        help: ArgumentHelp(
            "Keep this many bytes of each packet in --capture. Default: all, on a fast link only headers.",
            valueName: "N"
        )
    )
    var captureSnap: Int?
}

struct SandboxOptions: ParsableArguments {
    @OptionGroup(title: "Network") var uplink: UplinkOptions
    @OptionGroup(title: "Output") private var file: PacketFileOptions
    @OptionGroup(title: "Rare") private var rare: RarePacketFileOptions

    var capture: String? { file.capture }
    var log: String? { rare.log }
    private var captureSnap: Int? { rare.captureSnap }

    mutating func validate() throws {
        guard captureSnap == nil || capture != nil else { throw ValidationError("--capture-snap needs --capture.") }
        if let captureSnap, !(1...262_144).contains(captureSnap) {
            throw ValidationError("--capture-snap is 1 to 262144 bytes.")
        }
    }

    /// The file for the packets; nil if it is not given.
    var runCapture: RunCapture? { capture.map { RunCapture(path: $0, snapLength: captureSnap) } }
}
