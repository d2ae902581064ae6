// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinkProfiles
internal import LinuxSystem
internal import PacketPump

/// What a pump's process is to carry on an interface of the host's.
struct PumpTask {
    /// The interface, and the TAP devices to be made.
    var device: PumpedDevice
    /// The conditions.
    var profile: Profile
    /// The recordings that they name.
    var recordings: Recordings

    /// Makes the task of a rule whose plan needs a pump; nil if it needs none.
    init?(_ plan: Plan, _ request: RuleRequest, on interface: String) {
        guard !plan.taps.isEmpty else { return nil }
        device = PumpedDevice(name: interface, taps: plan.taps)
        profile = request.conditions
        recordings = request.recordings
    }
}

/// The process that carries one rule's packets on an interface of the host's. Its guardian is its parent; each watches
/// the other, and whichever is left when one is killed takes the rule away: a filter that leads to a device that is gone
/// drops what it picks.
struct InterfacePump {
    /// The process.
    let process: pid_t
    /// Readable when it has ended.
    let channel: PumpChannel

    /// Starts it, from the guardian.
    ///
    /// - Parameters:
    ///   - answer: where it says what became of its start, once.
    ///   - makeLoop: what takes the rule away.
    static func start(
        _ task: PumpTask,
        answer: PumpChannel,
        _ makeLoop: @escaping () -> GuardianLoop
    ) throws(SystemError) -> InterfacePump {
        guard let (mine, theirs) = PumpChannel.pair() else {
            throw SystemError(operation: "make a socket pair", code: errno)
        }
        let process = try Fork.child {
            lc_set_title("lc-pump", "lc-pump: carries the packets of \(task.device.name)")
            let signals = try? SignalQueue([SIGTERM])
            let ports = KernelFacts.current().ephemeralPorts
            Descriptors.closeAll(
                except: [theirs.descriptor, answer.descriptor] + [signals?.descriptor].compactMap { $0 }
            )
            var service = PumpServer(
                recordings: task.recordings,
                log: nil,
                ephemeralPorts: ports,
                endsWithNetwork: false
            )
            let start = service.start([task.device], task.profile)
            answer.send(start.json)
            answer.close()
            guard start.refusal == nil, let signals else { _exit(1) }
            serve(&service, guardian: theirs, signals, makeLoop)
        }
        theirs.close()
        return InterfacePump(process: process, channel: mine)
    }

    /// Waits until the kernel has taken its devices away, if it has ended.
    func reap() { _ = ChildStatus.wait(for: process) }

    private static func serve(
        _ service: inout PumpServer,
        guardian: PumpChannel,
        _ signals: SignalQueue,
        _ makeLoop: @escaping () -> GuardianLoop
    ) -> Never {
        let wakers = [guardian.descriptor, signals.descriptor]
        while !service.isDone, !wakers.contains(where: Wait.isReadable) {
            Wait.untilReadable(wakers + service.descriptors)
            service.answerClients()
        }
        if !service.isDone {
            // The guardian is gone, or somebody asks for the end. Whoever takes the rule away asks at our sockets what
            // is still inside, so that is done beside.
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
        service.stop()
        _exit(0)
    }

    /// Carries what ends the rule to its thread.
    private final class Ending: @unchecked Sendable {
        private let loop: GuardianLoop

        init(loop: GuardianLoop) { self.loop = loop }

        func run() { loop.endNow() }
    }
}
