// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LinkConditioning
import Netlink
import PacketCapture
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

    @Option(
        name: .long,
        help: "Write every packet, and what became of it, to this file (pcapng)."
    )
    var capture: String?

    @Option(
        name: .customLong("capture-snap"),
        help: "Keep this many bytes of each packet in --capture. Default: all, on a fast link only headers."
    )
    var captureSnap: Int?

    mutating func validate() throws {
        guard captureSnap == nil || capture != nil else { throw ValidationError("--capture-snap needs --capture.") }
        if let captureSnap, !(1...262_144).contains(captureSnap) {
            throw ValidationError("--capture-snap is 1 to 262144 bytes.")
        }
    }

    /// Whether there is none that needs a private network.
    var isEmpty: Bool { !offline && hostPort.isEmpty && log == nil }

    /// How to write the packets.
    ///
    /// - Parameter files: the files of an observed run; nil if it is not observed.
    func runCapture(to files: ObservationFiles? = nil) -> RunCapture? {
        guard let capture = files?.capturePath ?? capture else { return nil }
        var options = PumpCapture.Options()
        options.snapLength = captureSnap
        // Without a name, as TLS libraries take it.
        let keyLog = getenv("SSLKEYLOGFILE").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        let isNamed = files?.isNamed ?? true
        return RunCapture(path: capture, keyLog: keyLog) { [options] file, keyLog in
            var options = options
            options.bound = CaptureBound(file, isNamed: isNamed)
            return { [options] in PumpCapture(descriptor: file, keyLog: keyLog, options) }
        } startLanes: { [captureSnap] file, keyLog, interfaces in
            let capture = try LaneCaptureProcess.fork(
                writingTo: file,
                keyLog: keyLog,
                of: interfaces,
                snapLength: captureSnap.map(UInt32.init)
            )
            return RunCapture.LaneRecorder(
                process: capture.process,
                caveat: LaneCaptureProcess.caveat,
                finish: { capture.finish() }
            )
        }
    }

    /// The sandbox.
    ///
    /// - Parameter files: the files of an observed run; nil if it is not observed.
    func sandbox(
        _ request: RuleRequest?,
        engine: Engine?,
        catalog: Catalog,
        account: Account?,
        files: ObservationFiles? = nil
    ) throws -> Sandbox {
        var program: UplinkProgram?
        if !offline {
            program = UplinkProgram.found
            guard program != nil else {
                throw Failure(
                    .unavailable,
                    String("no program for an uplink is installed", try: UplinkProgram.remedy.words)
                )
            }
        }
        var sandbox = Sandbox(
            request: request,
            engine: engine,
            log: log,
            uplinkProgram: program,
            hostPorts: HostPortChoice(ports: hostPort.compactMap { $0 }, isEverything: hostPort.contains(nil)),
            catalog: catalog,
            account: account
        )
        sandbox.capture = runCapture(to: files)
        sandbox.events = files?.events
        sandbox.captureFile = files?.capture
        return sandbox
    }
}
