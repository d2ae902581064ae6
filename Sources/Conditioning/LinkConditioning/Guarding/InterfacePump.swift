// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinkProfiles
internal import LinuxSystem
internal import PacketPump
internal import TrafficControl

/// The task of a pump process on an interface of the host.
struct PumpTask {
    /// The interface, and the TAP devices to make.
    var device: PumpedDevice
    var conditions: RecordedProfile
    /// The file for the packets; nil to write none.
    var capture: PumpCaptureStart?
    /// The sockets at which clients reach the pump; nil without a journal.
    var sockets: PumpSockets?

    /// Makes the task of a rule; nil if its plan needs no pump.
    init?(_ plan: Plan, _ request: RuleRequest, on interface: String) {
        guard !plan.taps.isEmpty else { return nil }
        device = PumpedDevice(name: interface, taps: plan.taps)
        conditions = request.recordedConditions
    }
}

/// The process that carries one rule's packets on an interface of the host. It parses them without privileges. Its
/// parent is the guardian, which removes the rule if the pump is killed: a filter whose device is gone drops the
/// packets that it matches.
struct InterfacePump {
    let process: HelperProcess
    /// Readable when the process was asked to end, and when it has ended.
    let channel: MessageChannel
    /// The time that the process may take to end once its devices are gone.
    private let longestEnd: Duration

    /// Starts the process, from the guardian.
    ///
    /// - Parameters:
    ///   - answer: the channel for the result of the start and, at the end, for the result of the capture.
    ///   - locksMemory: whether to keep the process's pages in memory.
    ///   - ends: the guardians' end of a channel, and the pump's end, which is closed in this process.
    static func start(
        _ task: PumpTask,
        answer: MessageChannel,
        locksMemory: Bool,
        _ ends: (mine: MessageChannel, theirs: MessageChannel)
    ) throws(SystemError) -> InterfacePump {
        let process = try HelperProcess.start(
            "lc-pump",
            "carries the packets of \(task.device.name)",
            keeping: [ends.theirs, answer, task.capture],
            signals: .inherited()
        ) {
            let signals = try? SignalQueue([SIGTERM])
            if locksMemory { LockedMemory.lock() }
            let ports = KernelFacts.current().ephemeralPorts
            // Filters that fail open need the watchdog; without the privileges for it, there are no such filters.
            let watchdog = try? FilterWatchdog()
            var service = PumpServer(
                log: nil,
                capture: task.capture,
                ephemeralPorts: ports,
                endsWithNetwork: false,
                watchdog: watchdog,
                sockets: task.sockets
            )
            let start = service.start([task.device], task.conditions) {
                Confinement.enter(.openDescriptors, keeping: locksMemory ? .lockedMemory : [])
            }
            answer.send(start.json)
            if task.capture == nil { answer.close() }
            guard start.refusal == nil, let signals else { _exit(1) }
            serve(&service, guardians: ends.theirs, signals)
            let end = service.stop()
            if task.capture != nil { answer.send(end.json) }
            _exit(0)
        }
        ends.theirs.close()
        // The pump may still be writing its capture, if the disk is slow.
        return InterfacePump(process: process, channel: ends.mine, longestEnd: .seconds(task.capture == nil ? 2 : 20))
    }

    /// Whether the process was asked to end since the last call.
    func isAskedToEnd() -> Bool { channel.receiveSign() }

    /// Waits for the process, which ends by itself once its devices are gone, and kills it if it was stopped.
    func end() {
        Wait.untilReadable([channel.descriptor], limit: longestEnd)
        process.kill()
        process.reap()
    }

    /// Serves clients and passes SIGTERM on to the guardian, until the devices are gone.
    private static func serve(_ service: inout PumpServer, guardians: MessageChannel, _ signals: SignalQueue) {
        var isAsked = false
        while !service.isDone {
            Wait.untilReadable([guardians.descriptor, signals.descriptor] + service.descriptors)
            // Both guardians were killed: the devices end with this process, and the interface fails open.
            guard !Wait.isReadable(guardians.descriptor) else { return }
            if signals.next() != nil, !isAsked {
                isAsked = true
                guardians.sendSign()
            }
            service.answerClients()
        }
    }
}
