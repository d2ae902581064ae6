// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
internal import ClientTraffic
internal import ClientVerdicts
internal import Glibc
package import LinkConditioning
internal import LinkProbes
internal import LinkProfiles
internal import LinkVerification
internal import LinuxSystem
internal import ProfileCatalog
internal import SandboxClient
internal import Sandboxing

/// Measures a link: of a new private network, or of the network that this process is in.
package struct LinkMeasurement {
    /// The conditions, with the engine and the seed that the user named.
    private let request: RuleRequest
    /// Whether to measure the link of this process's network as it is, instead of making a private network.
    private let isHere: Bool
    /// Prints why the process in the private network failed. Called in that process.
    private let printFailure: @Sendable (String) -> Void
    /// Whether the packets go over the private network's uplink to this process, which is in another private network.
    var isOverUplink = false

    package init(_ request: RuleRequest, isHere: Bool, printFailure: @escaping @Sendable (String) -> Void) {
        (self.request, self.isHere, self.printFailure) = (request, isHere, printFailure)
    }

    /// The fates of the packets without conditions (`idle`), and of the packets of each phase.
    struct Result {
        /// The engine that carried the packets; nil if unknown.
        var engine: Engine?
        var idle: PhaseRecord
        var phases: [PhaseRecord]
    }

    /// Sends the packets of the phases.
    ///
    /// - Parameters:
    ///   - note: is called with what the user should know of the link.
    ///   - progress: is called several times a second.
    func run(
        _ phases: [ProbePhase],
        note: @escaping (ConditioningNote) -> Void,
        progress: (() -> Void)?
    ) throws -> Result {
        if isHere {
            let records = try phases.map { try Self.measureHere($0, note) }
            return Result(engine: nil, idle: PhaseRecord(), phases: records)
        }
        let output = lc_open_memory("lc-verify")
        guard output >= 0 else { throw MeasurementError(.internalError, "no memory for what is measured") }
        defer { close(output) }
        let profile = request.profile
        let servers = isOverUplink ? try Servers(phases) : nil
        let command = WrappedCommand("linkcond verify") { [printFailure] in
            lc_set_title("lc-verify", "lc-verify: sends packets through a link and measures them")
            do {
                try Self.write(Self.measure(profile, phases, servers), to: output)
                return 0
            } catch {
                let words = (error as? ControlClient.Refusal)?.message ?? "\(error)"
                printFailure(words)
                return 1
            }
        }
        var sandbox = Sandbox(
            RunConditions(request),
            engine: request.engine,
            isOffline: !isOverUplink,
            hostPorts: HostPortChoice(ports: [], isEverything: false),
            log: nil,
            catalog: Catalog(directories: [])
        )
        sandbox.isWatched = progress != nil
        // Packets in flight at the end do not count: do not wait for them.
        sandbox.drains = false
        // The conditions are in effect for a moment only before they are measured, and then begin anew.
        sandbox.notesMisses = false
        let listener = Supervision.Listener(
            note: { text, remedy in note(ConditioningNote(text, remedy: remedy)) },
            report: { _ in },
            progress: progress.map { progress in { _ in progress() } }
        )
        let end = try Supervision.run(command, in: sandbox, listener)
        if case .killed(let signal) = end { exit(like: .killed(signal)) }
        guard end.exitStatus == 0, let result = Self.read(output, count: phases.count) else {
            throw MeasurementError(.internalError, "the link could not be measured")
        }
        return result
    }

    private static func measureHere(_ phase: ProbePhase, _ note: (ConditioningNote) -> Void) throws(MeasurementError)
        -> PhaseRecord
    {
        do {
            return try PhaseProbe(phase).run()
        } catch {
            guard phase.kind == .dns, error.code == EACCES else {
                throw MeasurementError(.unavailable, "cannot measure the link that is here: \(error)")
            }
            note("the lane for DNS is not measured: only root may serve port \(phase.port) here")
            return PhaseRecord()
        }
    }

    /// Measures, in a process of the private network, and returns the results as numbers.
    private static func measure(_ profile: Profile, _ phases: [ProbePhase], _ servers: Servers?) throws -> [Int64] {
        guard let client = ControlClient.ofThisSandbox else { throw ProbeError("there is no control socket") }
        let used = try client.status().devices.first?.rules.first.flatMap { Engine(rawValue: $0.engine) }
        let engine = used.flatMap { Engine.allCases.firstIndex(of: $0) } ?? -1
        try client.change(to: .unconditioned)
        var numbers = [Int64(engine)]
        numbers += try PhaseProbe(VerificationPlan.idle, servers?.idle).run().numbers
        for (index, phase) in phases.enumerated() {
            let probe = try PhaseProbe(phase, servers?.ofPhases[index])
            // Newly applied conditions start with an empty queue, and at the start of their schedule.
            let before = lc_wall_time()
            try client.change(to: profile)
            let start = before + (lc_wall_time() - before) / 2
            numbers += try probe.run(conditions: start).numbers
            try client.change(to: .unconditioned)
        }
        return numbers
    }

    /// The servers outside of the private network. They are made before it.
    private struct Servers: Sendable {
        let idle: ProbeServer
        let ofPhases: [ProbeServer]

        init(_ phases: [ProbePhase]) throws(MeasurementError) {
            do {
                idle = try ProbeServer(VerificationPlan.idle, on: .outside)
                ofPhases = try phases.enumerated().map { try ProbeServer($1, on: .outside, number: $0 + 1) }
            } catch {
                throw MeasurementError(.unavailable, "cannot make a server to measure with: \(error)")
            }
        }
    }

    private static func write(_ numbers: [Int64], to output: CInt) throws {
        let bytes = numbers.withUnsafeBytes { Array($0) }
        if let code = Descriptors.write(bytes[...], to: output) {
            throw ProbeError("cannot write what was measured: \(String(cString: strerror(code)))")
        }
    }

    private static func read(_ output: CInt, count: Int) -> Result? {
        lseek(output, 0, SEEK_SET)
        let bytes = Descriptors.readToEnd(output)
        var numbers = bytes.withUnsafeBytes { bytes in
            (0..<bytes.count / 8).map { bytes.loadUnaligned(fromByteOffset: $0 * 8, as: Int64.self) }
        }[...]
        guard let engine = numbers.popFirst(), let idle = PhaseRecord(&numbers) else { return nil }
        let phases = (0..<count).compactMap { _ in PhaseRecord(&numbers) }
        return phases.count == count
            ? Result(engine: engine < 0 ? nil : Engine.allCases[Int(engine)], idle: idle, phases: phases) : nil
    }
}
