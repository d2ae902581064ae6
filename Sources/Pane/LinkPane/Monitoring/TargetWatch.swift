// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import Reachability
internal import Synchronization

/// Watches the targets of the page by a monitor in this process. The monitor ends with this object, and never keeps the
/// process alive.
final class TargetWatch {
    private let monitor: ReachabilityMonitor
    private let records = Records()
    private(set) var targets: [Target] = []
    private var task: Task<Void, Never>?

    init(_ monitor: ReachabilityMonitor) { self.monitor = monitor }

    deinit {
        task?.cancel()
        monitor.shutDown()
    }

    /// Watches these targets instead of the present ones; those that stay keep their records.
    func watch(_ targets: [Target]) {
        guard targets != self.targets else { return }
        let (records, old) = (records, task)
        // The new subscription begins before the old one ends, so that targets that stay are probed as before.
        let subscription = monitor.events(of: targets, samples: true).makeAsyncIterator()
        records.keep(targets)
        task = Task.detached {
            var iterator = subscription
            while let event = await iterator.next() { records.add(event) }
        }
        old?.cancel()
        self.targets = targets
    }

    /// The targets for the page, in the order in which they were given.
    var json: JSON { .list(records.json(targets)) }
}

/// The records of the watched targets, which the monitor's events change.
private final class Records: Sendable {
    private let records = Mutex<[Target: TargetRecord]>([:])

    /// Drops the records of all other targets.
    func keep(_ targets: [Target]) {
        records.withLock { records in
            records = Dictionary(uniqueKeysWithValues: targets.map { ($0, records[$0] ?? TargetRecord()) })
        }
    }

    func add(_ event: Event) {
        // A target that is no longer watched gets no new record.
        guard let target = event.target else { return }
        records.withLock { $0[target]?.add(event) }
    }

    func json(_ targets: [Target]) -> [JSON] {
        let epoch = TargetRecord.epoch
        return records.withLock { records in
            targets.map { (records[$0] ?? TargetRecord()).json($0, epoch: epoch) }
        }
    }
}
