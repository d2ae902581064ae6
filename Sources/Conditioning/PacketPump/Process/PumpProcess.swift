// SPDX-License-Identifier: Apache-2.0

package import CapturedPackets
import Glibc
package import LinkProfiles
package import LinkRules
package import LinuxSystem

/// A process that runs the pumps of a sandbox. It ends with the process that started it. The starting process makes the
/// TAP devices, so that packets are parsed without privileges.
package struct PumpProcess: Sendable {
    package let process: Int32
    private let requests: PumpExchange
    /// A separate channel for `flush`: writing may take long, and changes of the conditions must not wait for it.
    private let flushes: PumpExchange
    /// Shows whether the process still works.
    package let heartbeat: MessageChannel
    /// Changes the conditions of the process's devices, and reads their counters.
    package let client: PumpClient

    /// The ends of the channels that the new process keeps.
    struct Ends: DescriptorHolder {
        let requests: MessageChannel
        let flushes: MessageChannel
        let heartbeat: MessageChannel
        let clients: MessageChannel
    }

    /// Makes the channels and starts the process: `start` gets the process's ends of the channels, and returns its ID.
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

    /// Starts the process in the current network namespace. The caller must have a single thread. The TAP devices are
    /// made with the first conditions, so a sandbox without conditions does not need any.
    ///
    /// - Parameters:
    ///   - recordings: the recordings that profiles may name without sending them along.
    ///   - ephemeralPorts: net.ipv4.ip_local_port_range of the network namespace.
    ///   - log: the descriptor of the packet log.
    ///   - capture: how to write the packets to a file; nil to write none.
    ///   - isRecording: whether packets are written from the start, and not only after ``record()``.
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

    /// Drops the packets that earlier conditions of these devices hold.
    ///
    /// - Parameter isConditioning: whether the latest conditions still apply; if not, the packets that they hold are
    ///   dropped, too.
    package func dropQueued(on devices: [String], isConditioning: Bool) throws(ConditioningError) {
        try requests.ask(.dropQueued(on: devices, isConditioning: isConditioning))
    }

    /// Applies a state of a device's network.
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
        /// Packets sent before the call to ``flush()`` were seen before this moment.
        package var settled: Int64
        /// The packets in the file, with their fates.
        package var written: WrittenPackets
        /// The number of packets that the link held before the write.
        package var held: Int

        package init(settled: Int64, written: WrittenPackets, held: Int) {
            (self.settled, self.written, self.held) = (settled, written, held)
        }
    }

    /// Writes the packets recorded until now to the capture's file. That may take seconds; other threads can make other
    /// requests meanwhile.
    package func flush() throws(ConditioningError) -> CaptureState {
        let answer = try flushes.ask(.flush)
        guard let settled = answer.settled, let written = answer.written else {
            throw ConditioningError(.unsupported, "the process that carries the conditions does not tell what it wrote")
        }
        return CaptureState(settled: settled, written: written, held: Int(clamping: answer.held ?? 0))
    }

    /// Waits until the process has ended. Returns why not all of the recorded packets were written, or nil if they
    /// were, and the digest of the file, if it has one.
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
