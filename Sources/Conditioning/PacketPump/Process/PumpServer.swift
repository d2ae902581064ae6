// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
package import LinkProfiles
package import LinkRules
internal import LinuxSystem

/// Runs pumps for devices in this process, and answers the requests of their clients.
package struct PumpServer {
    private let recordings: Recordings
    private let log: CInt?
    private let capture: PumpCaptureStart?
    private let ephemeralPorts: ClosedRange<UInt16>
    private let endsWithNetwork: Bool
    private let watchdog: FilterWatchdog?
    private let sockets: PumpSockets?

    /// Writes the packets to the capture's file; nil while none are written.
    private var recording: (any PacketRecording)?
    private var served: [ServedDevice] = []
    /// The known states of the devices' networks, by device name.
    private var networks: [String: NetworkState] = [:]
    private var logs: [PacketLog] = []
    /// The clients whose requests are incomplete.
    private var clients: [WaitingClient] = []
    /// The largest number of waiting clients.
    private static let maximumClients = 64

    private struct ServedDevice {
        let name: String
        let taps: [ServedTap]
        let inputs: [PumpInput]
        let pump: PacketPump
        var conditions: RecordedProfile
        var previous: RecordedProfile
        /// The account of flows; nil until a client asks for it. It may have ended.
        var account: FlowAccount?
    }

    /// Makes a server without pumps.
    ///
    /// - Parameters:
    ///   - recordings: the recordings that profiles may name without sending them along.
    ///   - log: the descriptor of the packet log.
    ///   - capture: starts to write the packets to a file, at a request; nil if there is no file.
    ///   - isRecording: whether the packets are written from the start, and not only after a request.
    ///   - ephemeralPorts: net.ipv4.ip_local_port_range of the network namespace.
    ///   - endsWithNetwork: whether the TAP devices are persistent and end with their network namespace. Deleting one
    ///     takes 30 ms.
    ///   - watchdog: the watchdog by which filters notice that the pumps have stopped; nil if no filter reads one.
    ///   - sockets: the sockets at which clients find the pumps; nil if clients come over a channel.
    package init(
        recordings: Recordings = [:],
        log: CInt?,
        capture: PumpCaptureStart? = nil,
        isRecording: Bool = true,
        ephemeralPorts: ClosedRange<UInt16>,
        endsWithNetwork: Bool,
        watchdog: FilterWatchdog? = nil,
        sockets: PumpSockets? = nil
    ) {
        self.recordings = recordings
        self.log = log
        self.capture = capture
        recording = isRecording ? capture?.begin() : nil
        self.ephemeralPorts = ephemeralPorts
        self.endsWithNetwork = endsWithNetwork
        self.watchdog = watchdog
        self.sockets = sockets
    }

    /// Descriptors that are readable when `answerClients` has work.
    package var descriptors: [CInt] {
        served.flatMap { $0.taps.compactMap(\.listener) + [$0.pump.ending] } + clients.map(\.descriptor)
    }

    /// Whether all devices are gone.
    package var isDone: Bool { served.isEmpty }

    /// Answers the clients whose requests are complete, and removes pumps whose devices are gone. Never waits for a
    /// client.
    package mutating func answerClients() {
        for listener in served.flatMap({ $0.taps.compactMap(\.listener) }) where Wait.isReadable(listener) {
            if let client = MessageChannel.accept(from: listener) { admit(client) }
        }
        let present = clients
        clients = []
        for var client in present {
            switch client.receive(at: BootClock.now) {
            case .waits: clients.append(client)
            case .has(let message):
                if let request = ClientRequest(json: message) { answer(client.channel, request) }
                client.channel.close()
            case .isGone: client.channel.close()
            }
        }
        served.removeAll { Wait.isReadable($0.pump.ending) }
    }

    /// Accepts a client that the parent process passes on; nil if the parent is gone.
    mutating func admitClient(from channel: MessageChannel) -> Void? {
        channel.receiveDescriptor().map { admit(MessageChannel(passed: $0)) }
    }

    private mutating func admit(_ client: MessageChannel) {
        if clients.count >= Self.maximumClients { clients.removeFirst().channel.close() }
        clients.append(WaitingClient(client, since: BootClock.now))
    }

    /// Handles a `start`, `record`, `network` or `dropQueued` request of the parent process; nil if the parent is gone
    /// or has sent another request.
    mutating func handleRequest(_ channel: MessageChannel) -> Void? {
        switch channel.receive().flatMap({ PumpRequest(json: $0) }) {
        case .record: channel.send(record().json)
        case .dropQueued(let devices, let isConditioning):
            for device in served where devices.contains(device.name) {
                device.pump.dropQueued(isConditioning: isConditioning)
            }
            channel.send(PumpAnswer().json)
        case .network(let device, let state):
            networks[device] = state
            for served in served where served.name == device { served.pump.use(state) }
            channel.send(PumpAnswer().json)
        case .start(let devices, let conditions, let memory):
            // Receives every TAP device, even after a failure, so that the next message is a request.
            let sent = devices.map { $0.taps.map { _ in ServedTap(receivedFrom: channel) } }
            let taps = sent.map { $0.compactMap(\.self) }
            guard taps.map(\.count) == sent.map(\.count) else { return nil }
            channel.send(start(devices, taps, conditions, memory: memory).json)
        default: return nil
        }
        return ()
    }

    /// Handles a `flush` request on a separate thread: the disk may be slow, and other requests must not wait for it.
    /// Nil if the parent is gone or has sent another request.
    func handleFlush(_ channel: MessageChannel) -> Void? {
        guard channel.receive().flatMap({ PumpRequest(json: $0) }) == .flush else { return nil }
        let (recording, pumps) = (recording, served.map(\.pump))
        let flush: @Sendable () -> Void = { channel.send(Self.flush(recording, pumps).json) }
        do {
            try PosixThread.detach(flush)
        } catch {
            flush()
        }
        return ()
    }

    /// Makes TAP devices and starts pumps on them.
    ///
    /// - Parameter confine: drops privileges; called when the devices have been made, since the pumps need none.
    package mutating func start(
        _ devices: [PumpedDevice],
        _ conditions: RecordedProfile,
        confine: () -> Void
    ) -> PumpAnswer {
        // Removes the pumps of deleted devices, whose names may be needed again.
        answerClients()
        do throws(PumpRefusal) {
            let taps = try devices.map { device throws(PumpRefusal) in
                try device.taps.map { tap throws(PumpRefusal) in
                    try ServedTap(tap, endsWithNetwork: endsWithNetwork, sockets: sockets)
                }
            }
            let memory = Self.availableMemory()
            confine()
            return start(devices, taps, conditions, memory: memory)
        } catch {
            return PumpAnswer(refusal: error.reason)
        }
    }

    /// The memory in bytes that the packets of one device may take. The kernel would end this process if its control
    /// group ran out of memory, and the conditions with it.
    static func availableMemory() -> Int { max(AvailableMemory.bytes() / 2, 4 << 20) }

    /// Starts a pump for each device on its TAP devices in `taps`.
    private mutating func start(
        _ devices: [PumpedDevice],
        _ taps: [[ServedTap]],
        _ conditions: RecordedProfile,
        memory: Int
    ) -> PumpAnswer {
        do {
            let carried = try carried(conditions)
            for (device, taps) in zip(devices, taps) {
                served.append(try serve(device, taps, conditions, carried, memory: memory))
            }
            return PumpAnswer()
        } catch let refusal as PumpRefusal {
            return PumpAnswer(refusal: refusal.reason)
        } catch {
            return PumpAnswer(refusal: "cannot carry packets in userspace: \(error)")
        }
    }

    /// Stops all pumps; the packets that they hold are dropped.
    ///
    /// - Returns: the digest of the file, and as a refusal, why not all packets were recorded, written or logged.
    package mutating func stop() -> PumpAnswer {
        for device in served { device.pump.stop() }
        for log in logs { log.requestEnd() }
        // The recording first, since verdicts depend on it: the reader of a log may have stopped.
        let problems = [recording?.finish()] + logs.map { $0.finish() } + [missed]
        let words = problems.compactMap(\.self)
        var answer = PumpAnswer(refusal: words.isEmpty ? nil : words.joined(separator: "; "))
        answer.recorded = recording?.digest
        return answer
    }

    /// A sentence about the packets that were lost before any link; nil if none were.
    private var missed: String? {
        let count = served.reduce(0) { $0 + $1.pump.counters.read().missed }
        guard count > 0 else { return nil }
        let packets = "\(counted(count, "packet")) \(count == 1 ? "was" : "were")"
        return "\(packets) lost before the link, faster than lc-pump could read them"
    }

    /// Starts to record the packets of all pumps, unless this was done before; refuses if packets could not be written.
    private mutating func record() -> PumpAnswer {
        if let recording { return PumpAnswer(refusal: recording.problem) }
        guard let capture else { return PumpAnswer(refusal: "there is no file for the packets") }
        let recording = capture.begin()
        do {
            // All recorders, before any packet is written.
            let recorders = try served.map { _ in try Self.recorder(recording) }
            for (device, recorder) in zip(served, recorders) {
                recording.add(recorder, of: device.name, inputs: device.inputs)
                device.pump.record(by: recorder)
            }
        } catch {
            return PumpAnswer(refusal: "cannot record packets: \(error)")
        }
        self.recording = recording
        return PumpAnswer()
    }

    /// Writes the packets recorded until now to the file, without waiting for packets that the pumps hold.
    private static func flush(_ recording: (any PacketRecording)?, _ pumps: [PacketPump]) -> PumpAnswer {
        guard let recording else { return PumpAnswer(refusal: "no packets are recorded") }
        for pump in pumps { pump.settle() }
        let settled = lc_monotonic_time()
        // A pump may have read the clock before `settled`, and record the packet later.
        for pump in pumps { pump.finishRound() }
        // Counted before the write: packets that leave the pumps meanwhile may not be in the file.
        let held = pumps.reduce(0 as UInt64) { sum, pump in
            let counters = pump.counters.read()
            return Lane.allCases.reduce(sum) { $0 + counters[$1].queued }
        }
        guard let written = recording.flush(until: settled) else {
            return PumpAnswer(refusal: recording.problem ?? "the thread that writes the packets does not answer")
        }
        var answer = PumpAnswer(held: held)
        (answer.settled, answer.written) = (RunClock.aheadOfMonotonic + settled, written)
        return answer
    }

    /// Makes a recorder for `recording`.
    private static func recorder(_ recording: any PacketRecording) throws(PumpError) -> PacketRecorder {
        guard let recorder = PacketRecorder(recording.limits) else { throw .memory }
        return recorder
    }

    private mutating func serve(
        _ device: PumpedDevice,
        _ taps: [ServedTap],
        _ conditions: RecordedProfile,
        _ carried: PumpConditions,
        memory: Int
    ) throws -> ServedDevice {
        var configuration = PumpConfiguration()
        configuration.ephemeralPorts = ephemeralPorts
        configuration.memory = min(configuration.memory, memory)
        let inputs = zip(device.taps, taps).map { PumpInput($1.device, $0.traffic, $0.facing, isBare: $0.isBare) }
        let log = try log.map { try PacketLog(descriptor: $0, device: device.name, after: logs.first) }
        let recorder = try recording.map { recording in
            let recorder = try Self.recorder(recording)
            recording.add(recorder, of: device.name, inputs: inputs)
            return recorder
        }
        let pump = try PacketPump(inputs, carried, configuration, log: log, recorder: recorder, watchdog: watchdog)
        if let log { logs.append(log) }
        if let state = networks[device.name] { pump.use(state) }
        return ServedDevice(
            name: device.name,
            taps: taps,
            inputs: inputs,
            pump: pump,
            conditions: conditions,
            previous: conditions
        )
    }

    private mutating func answer(_ client: MessageChannel, _ request: ClientRequest) {
        let named = { (tap: ServedTap) in tap.device.name == request.tap }
        // A request whose client has timed out must not take effect later.
        guard !client.isAbandoned, let index = served.firstIndex(where: { $0.taps.contains(where: named) }),
            let tap = served[index].taps.firstIndex(where: named)
        else { return }
        let pump = served[index].pump
        switch request.task {
        case .watchdog:
            guard let watchdog else {
                return client.send(PumpAnswer(refusal: "the process that carries the conditions has no watchdog").json)
            }
            client.send(PumpAnswer().json)
            client.send(descriptor: watchdog.descriptor)
        case .use(let conditions): client.send(use(conditions, at: index).json)
        case .revert: client.send(use(served[index].previous, at: index).json)
        case .report:
            pump.settle()
            let input = served[index].inputs[tap]
            let lanes = input.traffic.lanes(input.facing)
            let held = lanes.reduce(0) { $0 + pump.counters.read()[$1].queued }
            client.send(PumpAnswer(profile: served[index].conditions.profile, held: held).json)
            client.send(descriptor: pump.counters.descriptor)
        case .flows:
            if served[index].account?.renew() != true { served[index].account = FlowAccount(of: pump) }
            guard let account = served[index].account else {
                return client.send(PumpAnswer(refusal: "there is no memory for an account of the flows").json)
            }
            client.send(PumpAnswer(profile: served[index].conditions.profile).json)
            client.send(descriptor: pump.counters.descriptor)
            client.send(descriptor: account.page.descriptor)
        }
    }

    private mutating func use(_ conditions: RecordedProfile, at index: Int) -> PumpAnswer {
        do {
            served[index].pump.use(try carried(conditions), named: conditions.profile.name)
        } catch {
            return PumpAnswer(refusal: error.reason)
        }
        (served[index].previous, served[index].conditions) = (served[index].conditions, conditions)
        return PumpAnswer()
    }

    private func carried(_ conditions: RecordedProfile) throws(PumpRefusal) -> PumpConditions {
        let profile = conditions.profile
        let traces = recordings.merging(conditions.recordings) { _, sent in sent }
        // The process may not read files.
        if let missing = profile.traceReferences.first(where: { traces[$0] == nil }) {
            throw PumpRefusal(reason: "the recording \(missing.file) was not sent with the profile")
        }
        if let name = profile.faults.lazy.flatMap(\.match.unresolvedNames).first {
            throw PumpRefusal(reason: "the name \(name), which a fault is about, was not resolved: give its address")
        }
        return PumpConditions(profile, traces: traces)
    }
}
