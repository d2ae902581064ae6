// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinkConditioning
package import LinkRules
package import LinuxSystem
internal import PacketPump

/// Applies to each container the conditions in its labels, for as long as it runs.
///
/// Each container is conditioned by a separate process: a thread cannot leave the container's network again without
/// rights there, and the conditions end whether this process or the conditioning one is killed. This process must have
/// a single thread.
package struct ContainerWatch {
    private var sources: [WatchedSource]
    /// The containers by ID.
    private var containers: [String: LabelledContainer] = [:]
    private let signals: SignalQueue
    private let request: (String) throws(ContainerError) -> RuleRequest
    private let tell: (ContainerEvent) -> Void
    private var isIncomplete = false

    /// The time that the last removals may take: a lane drains for ten seconds at most, and the removal may wait for
    /// another process.
    private static let removalTimeout = Duration.seconds(30)

    /// - Parameters:
    ///   - sources: the engines and runtimes to query for containers.
    ///   - request: returns the request for the profile with this name, or throws the reason why there is none.
    ///   - tell: is called for each event.
    package init(
        _ sources: [any ContainerSource],
        request: @escaping (String) throws(ContainerError) -> RuleRequest,
        tell: @escaping (ContainerEvent) -> Void
    ) throws(SystemError) {
        self.sources = sources.map { WatchedSource($0) }
        (self.request, self.tell) = (request, tell)
        signals = try SignalQueue([SIGINT, SIGTERM, SIGHUP, SIGCHLD])
    }

    /// Watches until SIGINT, SIGTERM or SIGHUP, and then removes the conditions that it has applied.
    ///
    /// - Returns: whether all conditions could be removed.
    package mutating func run() -> Bool {
        while !isAskedToEnd() {
            for index in sources.indices where sources[index].due <= BootClock.now { find(in: index) }
            attend()
            let next = sources.map(\.due).min() ?? BootClock.now + .seconds(1)
            let descriptors = sources.compactMap { $0.events?.descriptor } + containers.values.flatMap(\.descriptors)
            Wait.untilReadable([signals.descriptor] + descriptors, limit: max(.zero, next - BootClock.now))
            for index in sources.indices { sources[index].receiveEvents() }
        }
        return end()
    }

    /// Reads the pending signals; returns whether one of them asks to end. SIGCHLD only wakes the loop: children report
    /// over their channels.
    private func isAskedToEnd() -> Bool {
        var isAsked = false
        while let arrival = signals.next() { isAsked = isAsked || arrival.signal != SIGCHLD }
        return isAsked
    }

    /// Conditions the containers with labels that have started since the last time.
    private mutating func find(in index: Int) {
        do {
            let running = try sources[index].running()
            if sources[index].failure != nil {
                sources[index].failure = nil
                tell(.note(nil, "\(sources[index].source.description) answers again"))
            }
            // A container that has ended meanwhile and runs again under the same ID has another network.
            attend()
            for container in running where containers[container.id] == nil {
                guard !sources[index].refused.contains(container.id) else { continue }
                begin(container, index)
            }
        } catch {
            if sources[index].failure == nil { tell(.note(nil, "\(error.message); trying again")) }
            sources[index].failure = error.message
        }
    }

    private mutating func begin(_ container: Container, _ index: Int) {
        do throws(ContainerError) {
            guard let labels = try ContainerLabels(container.labels) else { return }
            var request = try request(labels.profile)
            request.facing = labels.facing
            let network = try ContainerNetwork(of: container.id, [sources[index].source])
            guard sources[index].ended[container.id] != network.start else { return }
            let twin = containers.values.first { $0.keeper != nil && $0.network?.identity == network.identity }
            if let other = network.sharedWith ?? twin?.container.name {
                throw ContainerError(
                    .unavailable,
                    "it uses the network of container \(other)",
                    remedy: "the labels at one container of a network only, the one that owns it"
                )
            }
            var keeper: ConditionsProcess
            do {
                keeper = try ConditionsProcess.start(container, in: network, labels, request)
            } catch {
                throw ContainerError(.unavailable, "\(error)")
            }
            containers[container.id] = LabelledContainer(container, labels, network, keeper)
        } catch  where error.kind == .notFound {
            // Check again soon: a container may have ended meanwhile, or started again, without an event.
            sources[index].checkAgain()
        } catch {
            sources[index].refused.insert(container.id)
            tell(.refused(container, reason: error.message, remedy: error.remedy.map { Remedy(.advice, $0) }))
        }
    }

    /// Handles the ends and reports of the containers with labels.
    private mutating func attend() {
        for (id, each) in containers {
            if !each.hasEnded, !each.isRunning {
                containers[id]?.hasEnded = true
                each.keeper?.end()
            }
            if let keeper = each.keeper, Wait.isReadable(keeper.channel.descriptor) { receive(from: keeper, id) }
            guard let now = containers[id], now.hasEnded, now.keeper == nil else { continue }
            containers[id] = nil
            for index in sources.indices {
                sources[index].ended[id] = now.start
                // The container may already run again under the same ID.
                sources[index].hasten()
            }
        }
    }

    /// Receives a report of the process that conditions a container, or finds that it has ended.
    private mutating func receive(from keeper: ConditionsProcess, _ id: String) {
        guard let labelled = containers[id] else { return }
        switch keeper.channel.receive().flatMap({ ConditionsProcess.Report(json: $0) }) {
        case .applied(let interface, let notes):
            containers[id]?.hasConditions = true
            let (profile, facing) = (labelled.labels.profile, labelled.labels.facing)
            tell(.applied(labelled.container, profile: profile, interface: interface, facing, notes: notes))
        case .removed(let notes):
            containers[id]?.hasConditions = false
            tell(.removed(labelled.container, notes: notes))
        case .failed(let reason, let remedy):
            if labelled.hasConditions { isIncomplete = true }
            containers[id]?.hasConditions = false
            // A failure is expected once the container has ended, since its interface ended too.
            guard !labelled.hasEnded, labelled.isRunning || labelled.hasConditions else { return }
            tell(.refused(labelled.container, reason: reason, remedy: remedy))
        case .note(let text): tell(.note(labelled.container, text))
        case nil:
            keeper.channel.close()
            let end = keeper.process.reap()
            if end != .exited(0) || labelled.hasConditions { recover(labelled) }
            containers[id]?.keeper = nil
            containers[id]?.network = nil
        }
    }

    /// Removes the leftovers of a killed process in the network of a container.
    private mutating func recover(_ labelled: LabelledContainer) {
        let text: String
        do throws(SystemError) {
            guard let network = labelled.network else { return }
            let namespace = network.namespace
            let process = try HelperProcess.start(nil, keeping: [network], signals: .inherited()) {
                let conditioner = try? InterfaceConditioner(in: namespace, command: "containers")
                _ = conditioner?.recover()
                _exit(conditioner == nil ? 1 : 0)
            }
            let isDone = process.reap() == .exited(0)
            isIncomplete = isIncomplete || !isDone
            text = isDone ? "its conditions are removed" : "its conditions may remain"
        } catch {
            isIncomplete = true
            text = "\(error)"
        }
        tell(.note(labelled.container, "the process that conditioned it was killed: \(text)"))
    }

    /// Removes all conditions; returns whether that succeeded. After a second signal, the processes that condition the
    /// containers finish alone.
    private mutating func end() -> Bool {
        for source in sources { source.close() }
        for each in containers.values { each.keeper?.end() }
        let limit = BootClock.now + Self.removalTimeout
        while containers.values.contains(where: { $0.keeper != nil }), BootClock.now < limit, !isAskedToEnd() {
            Wait.untilReadable([signals.descriptor] + containers.values.flatMap(\.descriptors), limit: .seconds(1))
            attend()
        }
        InterfaceConditioner.tidyJournal()
        for each in containers.values where each.keeper != nil {
            tell(.note(each.container, "its conditions are still being removed"))
            isIncomplete = true
        }
        return !isIncomplete
    }
}
