// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
package import LinkProfiles
package import LinkRules
package import LinuxSystem

/// A process that runs the pumps of a sandbox. It ends with the process that started it, which makes the TAP devices:
/// packets are parsed without privileges.
package struct PumpProcess: Sendable {
    package let process: Int32
    private let channel: PumpChannel
    /// Tells whether the process still works.
    package let heartbeat: PumpChannel

    /// Starts it in the current network namespace. The caller must have a single thread. The TAP devices are made with
    /// the first conditions, so a sandbox without conditions does not need any.
    ///
    /// - Parameters:
    ///   - recordings: the recordings that profiles may name.
    ///   - ephemeralPorts: net.ipv4.ip_local_port_range of the network namespace.
    ///   - log: the descriptor of the packet log.
    ///   - capture: how to write the packets to a file; nil to write none.
    ///   - isRecording: whether they are written from the start, and not only after ``record()``.
    package static func fork(
        _ recordings: Recordings,
        ephemeralPorts: ClosedRange<UInt16>,
        log: CInt?,
        capture: PumpCaptureStart? = nil,
        isRecording: Bool = true
    ) throws(SystemError) -> PumpProcess {
        guard let (mine, theirs) = PumpChannel.pair(), let (asking, answering) = PumpChannel.pair() else {
            throw SystemError(operation: "make a socket pair", code: errno)
        }
        let files = [log].compactMap(\.self) + (capture?.descriptors ?? [])
        let process = try Fork.helper(keeping: [theirs.descriptor, answering.descriptor] + files) {
            lc_set_title("lc-pump", "lc-pump: carries the packets of a sandbox")
            // It holds the packets that the verdicts rest on, and limits its memory itself.
            ProcFile.avoidMemoryKill()
            Confinement.enter(.openDescriptors)
            let service = PumpServer(
                recordings: recordings,
                log: log,
                capture: capture,
                isRecording: isRecording,
                ephemeralPorts: ephemeralPorts,
                endsWithNetwork: true
            )
            serve(theirs, answering, service)
        }
        theirs.close()
        answering.close()
        return PumpProcess(process: process, channel: mine, heartbeat: asking)
    }

    /// Writes the packets to the capture's file from now on.
    package func record() throws(ConditioningError) {
        channel.send(PumpRequest.record.json)
        try awaitAnswer()
    }

    /// Drops the packets that conditions before the last hold.
    ///
    /// - Parameter isConditioning: whether the last conditions still apply; if not, what they hold is dropped, too.
    package func dropQueued(isConditioning: Bool) throws(ConditioningError) {
        channel.send(PumpRequest.dropQueued(isConditioning: isConditioning).json)
        try awaitAnswer()
    }

    /// Makes TAP devices, which end with their network, and starts a pump on them with the conditions of `profile`.
    package func start(_ devices: [PumpedDevice], _ profile: Profile) throws(ConditioningError) {
        let taps: [ServedTap]
        do throws(PumpRefusal) {
            taps = try ServedTap.make(devices.flatMap(\.taps), endsWithNetwork: true)
        } catch {
            throw ConditioningError(.unsupported, error.reason)
        }
        // Measured here: the process may not open files.
        channel.send(PumpRequest.start(devices, profile, memory: PumpServer.availableMemory()).json)
        for tap in taps { tap.send(to: channel) }
        try awaitAnswer()
    }

    /// How far the file of the capture has come. Times are in nanoseconds of the run's clock.
    package struct CaptureState: Sendable {
        /// What was sent before the call was seen before this moment.
        package var settled: Int64
        /// All packets that were seen before this moment are in the file, with their fates.
        package var written: Int64
        /// The packets that the link holds.
        package var held: Int

        package init(settled: Int64, written: Int64, held: Int) {
            (self.settled, self.written, self.held) = (settled, written, held)
        }
    }

    /// Has the packets that were recorded until now written to the capture's file.
    package func flush() throws(ConditioningError) -> CaptureState {
        channel.send(PumpRequest.flush.json)
        let answer = try awaitAnswer()
        guard let settled = answer.settled, let written = answer.written else {
            throw ConditioningError(.unsupported, "the process that carries the conditions does not tell what it wrote")
        }
        return CaptureState(settled: settled, written: written, held: Int(clamping: answer.held ?? 0))
    }

    @discardableResult
    private func awaitAnswer() throws(ConditioningError) -> PumpAnswer {
        guard let answer = channel.receive().flatMap({ PumpAnswer(json: $0) }) else {
            throw ConditioningError(.unsupported, "the process that was to carry the conditions has ended")
        }
        if let refusal = answer.refusal { throw ConditioningError(.unsupported, refusal) }
        return answer
    }

    /// Why not all of the recorded packets were written down; nil if they were. Waits until the process has ended.
    package func captureProblem() -> String? {
        channel.receive().flatMap { PumpAnswer(json: $0) }?.refusal
    }

    private static func serve(
        _ channel: PumpChannel,
        _ heartbeat: PumpChannel,
        _ service: consuming PumpServer
    ) -> Never {
        guard let signals = try? SignalQueue([SIGTERM]) else { _exit(1) }
        while true {
            Wait.untilReadable([channel.descriptor, heartbeat.descriptor, signals.descriptor] + service.descriptors)
            guard signals.next() == nil else { break }
            if Wait.isReadable(channel.descriptor), service.handleRequest(channel) == nil { break }
            service.answerClients()
            heartbeat.answer()
        }
        if let problem = service.stop() { channel.send(PumpAnswer(refusal: problem).json) }
        _exit(0)
    }
}
