// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinkConditioning
internal import LinkProfiles
internal import LinuxSystem
internal import PacketPump

/// The process that conditions one container. It is in the container's network, which a process without rights there
/// cannot leave again. It removes the conditions when it is asked to, or when its parent has ended.
struct ConditionsProcess {
    let process: HelperProcess
    /// Readable when the process has sent a report, and when it has ended.
    let channel: MessageChannel

    /// The time to wait for an interface: some engines create it after the container's start.
    private static let interfaceTimeout = Duration.seconds(3)
    /// The time to wait for the guardian after the removal.
    private static let guardianTimeout = Duration.seconds(5)

    /// Starts the process. The calling process must have a single thread.
    static func start(
        _ container: Container,
        in network: ContainerNetwork,
        _ labels: ContainerLabels,
        _ request: RuleRequest
    ) throws(SystemError) -> ConditionsProcess {
        let (mine, theirs) = try MessageChannel.pair()
        let namespace = network.namespace
        let process = try HelperProcess.start(
            "lc-container",
            "conditions container \(container.name)",
            keeping: [theirs, network],
            // SIGTERM stays blocked, as in the parent, until the process reads it.
            signals: .inherited(ignoring: [SIGINT, SIGHUP, SIGQUIT, SIGPIPE]),
            // The terminal's keys are for the parent only.
            hasOwnSession: true
        ) {
            do throws(ConditioningError) {
                try carry(labels, request, in: namespace, reportingTo: theirs)
            } catch {
                theirs.send(Report.failed(error.message, error.remedy).json)
            }
            _exit(0)
        }
        theirs.close()
        return ConditionsProcess(process: process, channel: mine)
    }

    /// Asks the process to remove the conditions.
    func end() { channel.sendSign() }

    /// Applies the conditions, waits for the end, and removes them.
    private static func carry(
        _ labels: ContainerLabels,
        _ request: RuleRequest,
        in namespace: NetworkNamespace,
        reportingTo channel: MessageChannel
    ) throws(ConditioningError) {
        let signals: SignalQueue
        do { signals = try SignalQueue([SIGTERM, SIGCHLD]) } catch { throw ConditioningError(.refused, error) }
        let conditioner = try InterfaceConditioner(in: namespace, command: "containers")
        guard let interface = try interface(labels, conditioner, unless: channel) else { return }
        var rule = try CommandRule(request, on: interface)
        let notes = try rule.apply()
        channel.send(Report.applied(interface, notes.map(\.text)).json)
        var isAsked = false
        while !isAsked {
            Wait.untilReadable([channel.descriptor, signals.descriptor])
            isAsked = Wait.isReadable(channel.descriptor)
            while let arrival = signals.next() { isAsked = isAsked || arrival.signal == SIGTERM }
            if ChildStatus.all().contains(where: { $0.process == rule.guardianPID && $0.status.isEnd }) {
                channel.send(Report.note("the process that conditions \(interface) has ended").json)
            }
        }
        let losses = try remove(&rule, conditioner)
        // Only this process can reap the guardian.
        if let guardian = rule.guardianPID { _ = ChildStatus.wait(for: guardian, limit: guardianTimeout, signals) }
        channel.send(Report.removed(losses).json)
    }

    /// Removes the conditions, or what is left of them: an engine may delete the interface of an ending container at
    /// any moment.
    private static func remove(
        _ rule: inout CommandRule,
        _ conditioner: InterfaceConditioner
    ) throws(ConditioningError) -> [String] {
        var losses: [String] = []
        var failure: ConditioningError?
        do throws(ConditioningError) { losses = try rule.remove() } catch { failure = error }
        guard (try? conditioner.requireInterface(rule.interface)) == nil else {
            if let failure { throw failure }
            return losses
        }
        losses += try rule.remove()
        // The journal may still have an entry for the deleted interface.
        _ = conditioner.recover()
        return losses
    }

    /// The interface to condition, once it exists; nil if the parent asks the process to end first.
    private static func interface(
        _ labels: ContainerLabels,
        _ conditioner: InterfaceConditioner,
        unless channel: MessageChannel
    ) throws(ConditioningError) -> String? {
        let limit = BootClock.now + interfaceTimeout
        while true {
            do throws(ConditioningError) {
                guard let name = labels.interface else { return try conditioner.mainInterface() }
                try conditioner.requireInterface(name)
                return name
            } catch  where error.code == .notFound && BootClock.now < limit {
                if Wait.untilReadable([channel.descriptor], limit: .milliseconds(100)) { return nil }
            }
        }
    }
}
