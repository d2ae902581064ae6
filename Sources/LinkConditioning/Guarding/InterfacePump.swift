// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinkProfiles
internal import LinuxSystem
internal import PacketPump

/// The task of a pump process on an interface of the host.
struct PumpTask {
    /// The interface, and the TAP devices to make.
    var device: PumpedDevice
    /// The conditions.
    var profile: Profile
    /// The recorded traces that they name.
    var recordings: Recordings
    /// How to write the packets to a file; nil to write none.
    var capture: PumpCaptureStart?

    /// Makes the task of a rule; nil if its plan needs no pump.
    init?(_ plan: Plan, _ request: RuleRequest, on interface: String) {
        guard !plan.taps.isEmpty else { return nil }
        device = PumpedDevice(name: interface, taps: plan.taps)
        profile = request.conditions
        recordings = request.recordings
    }
}

/// The process that carries one rule's packets on an interface of the host. Its guardian is its parent. Each watches
/// the other and removes the rule if the other is killed: a filter whose device is gone drops the packets it matches.
struct InterfacePump {
    /// The process.
    let process: pid_t
    /// Readable when the process has ended.
    let channel: PumpChannel
    /// How long it may take to end once its devices are gone.
    private let longestEnd: Duration

    /// Starts the process, from the guardian.
    ///
    /// - Parameters:
    ///   - answer: the channel for the result of the start, and for that of the capture at the end.
    ///   - locksMemory: whether to keep the process's pages in memory.
    ///   - makeLoop: makes the loop that removes the rule.
    static func start(
        _ task: PumpTask,
        answer: PumpChannel,
        locksMemory: Bool,
        _ makeLoop: @escaping () -> GuardianLoop
    ) throws(SystemError) -> InterfacePump {
        guard let (mine, theirs) = PumpChannel.pair() else {
            throw SystemError(operation: "make a socket pair", code: errno)
        }
        let process = try Fork.child {
            lc_set_title("lc-pump", "lc-pump: carries the packets of \(task.device.name)")
            let signals = try? SignalQueue([SIGTERM])
            if locksMemory { LockedMemory.lock() }
            let ports = KernelFacts.current().ephemeralPorts
            // Filters that fail open need it; others cannot have it.
            let watchdog = try? FilterWatchdog()
            let files = task.capture?.descriptors ?? []
            let own = [signals?.descriptor, watchdog?.descriptor].compactMap { $0 }
            Descriptors.closeAll(except: [theirs.descriptor, answer.descriptor] + own + files)
            var service = PumpServer(
                recordings: task.recordings,
                log: nil,
                capture: task.capture,
                ephemeralPorts: ports,
                endsWithNetwork: false,
                watchdog: watchdog
            )
            let start = service.start([task.device], task.profile)
            answer.send(start.json)
            if task.capture == nil { answer.close() }
            guard start.refusal == nil, let signals else { _exit(1) }
            serve(&service, guardian: theirs, signals, makeLoop)
            let problem = service.stop()
            if task.capture != nil { answer.send(PumpAnswer(refusal: problem).json) }
            _exit(0)
        }
        theirs.close()
        // It writes the rest of its capture, if the disk is slow.
        return InterfacePump(process: process, channel: mine, longestEnd: .seconds(task.capture == nil ? 2 : 20))
    }

    /// Waits for the process, which ends by itself once its devices are gone, and kills it if it was stopped.
    func end() {
        Wait.untilReadable([channel.descriptor], limit: longestEnd)
        kill(process, SIGKILL)
        reap()
    }

    /// Waits for the process, whose devices are gone once it has ended.
    func reap() { _ = ChildStatus.wait(for: process) }

    private static func serve(
        _ service: inout PumpServer,
        guardian: PumpChannel,
        _ signals: SignalQueue,
        _ makeLoop: @escaping () -> GuardianLoop
    ) {
        let wakers = [guardian.descriptor, signals.descriptor]
        while !service.isDone, !wakers.contains(where: Wait.isReadable) {
            Wait.untilReadable(wakers + service.descriptors)
            service.answerClients()
        }
        if !service.isDone {
            // The guardian is gone, or SIGTERM arrived. The removal asks this process over its sockets which packets
            // it still holds, so the removal runs on another thread.
            let done = lc_open_eventfd()
            let ending = Ending(loop: makeLoop())
            try? PosixThread.detach {
                ending.run()
                lc_signal_eventfd(done)
            }
            while !Wait.isReadable(done) {
                Wait.untilReadable([done] + service.descriptors)
                service.answerClients()
            }
        }
    }

    /// Carries the loop that removes the rule to its thread.
    private final class Ending: @unchecked Sendable {
        private let loop: GuardianLoop

        init(loop: GuardianLoop) { self.loop = loop }

        func run() { loop.endNow() }
    }
}
