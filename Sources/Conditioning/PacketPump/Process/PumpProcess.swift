// SPDX-License-Identifier: Apache-2.0

package import CapturedPackets
import Glibc
package import LinkProfiles
package import LinkRules
package import LinuxSystem

/// A process that runs the pumps of a sandbox. It ends with the process that started it, which makes the TAP devices:
/// packets are parsed without privileges.
package struct PumpProcess: Sendable {
    package let process: Int32
    private let requests: PumpExchange
    /// On a channel of its own: what the pump writes down may take long, and changes of the conditions must not wait for that.
    private let flushes: PumpExchange
    /// Tells whether the process still works.
    package let heartbeat: MessageChannel
    /// Changes the conditions of its devices, and reads their counters.
    package let client: PumpClient

    /// The ends of its channels that the process itself has.
    struct Ends: DescriptorHolder {
        let requests: MessageChannel
        let flushes: MessageChannel
        let heartbeat: MessageChannel
        let clients: MessageChannel
    }

    /// Makes the channels to a process that is still to be started; `start` is called with its ends, and returns its ID.
    init(start: (Ends) throws(SystemError) -> Int32) throws(SystemError) {
        let (requests, flushes) = (try MessageChannel.pair(), try MessageChannel.pair())
        let (heartbeat, clients) = (try MessageChannel.pair(), try MessageChannel.pair())
        self.requests = PumpExchange(requests.0)
        self.flushes = PumpExchange(flushes.0)
        self.heartbeat = heartbeat.0
        clients.0.limitWaits(seconds: 2)
        client = PumpClient(.channel(clients.0))
        process = try start(
            Ends(requests: requests.1, flushes: flushes.1, heartbeat: heartbeat.1, clients: clients.1)
        )
    }

    /// Starts it in the current network namespace. The caller must have a single thread. The TAP devices are made with
    /// the first conditions, so a sandbox without conditions does not need any.
    ///
    /// - Parameters:
    ///   - recordings: those that profiles may name without that they are sent along.
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
        try PumpProcess { ends throws(SystemError) in
            defer { ends.closeDescriptors() }
            let process = try HelperProcess.start(
                "lc-pump",
                "carries the packets of a sandbox",
                keeping: [ends, log.map(OpenDescriptor.init), capture]
            ) {
                // The process holds the packets that the verdicts rest on, and limits its memory itself.
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
                serve(ends, service)
            }
            return process.id
        }
    }

    /// Writes the packets to the capture's file from now on.
    package func record() throws(ConditioningError) {
        try requests.ask(.record)
    }

    /// Drops the packets that conditions of these devices before the last hold.
    ///
    /// - Parameter isConditioning: whether the last conditions still apply; if not, what they hold is dropped, too.
    package func dropQueued(on devices: [String], isConditioning: Bool) throws(ConditioningError) {
        try requests.ask(.dropQueued(on: devices, isConditioning: isConditioning))
    }

    /// Carries for a device only what a network in this state carries.
    package func use(_ network: NetworkState, for device: String) throws(ConditioningError) {
        try requests.ask(.network(device, network))
    }

    /// Makes TAP devices, which end with their network, and starts a pump on them with these conditions.
    package func start(_ devices: [PumpedDevice], _ conditions: RecordedProfile) throws(ConditioningError) {
        let taps: [ServedTap]
        do throws(PumpRefusal) {
            taps = try devices.flatMap(\.taps).map { tap throws(PumpRefusal) in
                try ServedTap(tap, endsWithNetwork: true)
            }
        } catch {
            throw ConditioningError(.unsupported, error.reason)
        }
        // Measured here: the process may not open files.
        try requests.ask(.start(devices, conditions, memory: PumpServer.availableMemory())) { channel in
            for tap in taps { tap.send(to: channel) }
        }
    }

    /// The progress of the file of the capture. Times are in nanoseconds of the run's clock.
    package struct CaptureState: Sendable {
        /// Packets sent before the call were seen before this moment.
        package var settled: Int64
        /// The packets in the file, with their fates.
        package var written: WrittenPackets
        /// The packets that the link held before that was written.
        package var held: Int

        package init(settled: Int64, written: WrittenPackets, held: Int) {
            (self.settled, self.written, self.held) = (settled, written, held)
        }
    }

    /// Has the packets that were recorded until now written to the capture's file. That may take seconds: meanwhile other
    /// threads can make other requests.
    package func flush() throws(ConditioningError) -> CaptureState {
        let answer = try flushes.ask(.flush)
        guard let settled = answer.settled, let written = answer.written else {
            throw ConditioningError(.unsupported, "the process that carries the conditions does not tell what it wrote")
        }
        return CaptureState(settled: settled, written: written, held: Int(clamping: answer.held ?? 0))
    }

    /// The reason why not all of the recorded packets were written down, nil if they were, and what is in the file, if
    /// that was to be compared. Waits until the process has ended.
    package func captureEnd() -> (problem: String?, recorded: CaptureDigest.Value?) {
        let end = requests.final()
        return (end?.refusal, end?.recorded)
    }

    private static func serve(_ ends: Ends, _ service: consuming PumpServer) -> Never {
        guard let signals = try? SignalQueue([SIGTERM]) else { _exit(1) }
        let descriptors = [signals.descriptor] + ends.descriptors
        while true {
            Wait.untilReadable(descriptors + service.descriptors)
            guard signals.next() == nil else { break }
            if Wait.isReadable(ends.requests.descriptor), service.handleRequest(ends.requests) == nil { break }
            if Wait.isReadable(ends.flushes.descriptor), service.handleFlush(ends.flushes) == nil { break }
            if Wait.isReadable(ends.clients.descriptor), service.admitClient(from: ends.clients) == nil { break }
            service.answerClients()
            ends.heartbeat.answer()
        }
        var end = service.stop()
        end.isFinal = true
        ends.requests.send(end.json)
        _exit(0)
    }
}
