// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinkConditioning
internal import LinuxSystem
internal import Netlink
internal import PacketPump
internal import Synchronization

/// Samples the progress of a run several times a second, on a thread of its own: nothing waits for it.
final class ProgressSampler: Sendable {
    private let shown: ShownConditions
    private let pump: PumpProcess?
    private let begin = BootClock.now
    private let state: Mutex<State>
    private let thread = Mutex<PosixThread?>(nil)

    private struct State {
        var latest: RunProgress
        var isEnding = false
    }

    /// The time between two samples, in microseconds.
    private static let pause: UInt32 = 100_000
    /// The number of samples for each query of the lanes' counters, which costs the pump time.
    private static let looksPerCount = 5

    /// Prepares to sample the conditions in effect. `pump` carries the packets; nil if the kernel does.
    init(_ shown: ShownConditions, _ pump: PumpProcess?) {
        (self.shown, self.pump) = (shown, pump)
        state = Mutex(State(latest: RunProgress(conditions: shown.profileName)))
    }

    var latest: RunProgress { state.withLock { $0.latest } }

    /// Starts to sample the caller's network.
    func start() {
        let started = try? PosixThread.start { [self] in run() }
        thread.withLock { $0 = started }
    }

    /// Ends the sampling, and waits for its thread.
    func stop() {
        state.withLock { $0.isEnding = true }
        thread.withLock { thread in
            thread?.join()
            thread = nil
        }
    }

    private func run() {
        guard let connection = try? RouteConnection.current() else { return }
        let conditioner = EphemeralConditioner(connection, pump: pump)
        var lanes = LaneTotals()
        var looks = 0
        while !state.withLock({ $0.isEnding }) {
            if looks % Self.looksPerCount == 0, let report = try? conditioner.status() { lanes.add(report) }
            looks += 1
            let profile = shown.profileName
            let position = shown.scenario
            // A client may have changed the conditions since the step.
            let step = position?.step.flatMap { $0.profile == profile ? $0.label : nil }
            var progress = RunProgress(conditions: step ?? profile)
            progress.next = position?.next
            progress.elapsed = BootClock.now - begin
            progress.connections = NetworkCounters.current(uplinks: [], for: .connections(1)).connections
            progress.droppedPackets = lanes.dropped
            state.withLock { $0.latest = progress }
            usleep(Self.pause)
        }
    }
}

/// The number of packets that a network's lanes have dropped. New conditions have new lanes, which count from zero.
struct LaneTotals {
    private var earlier: UInt64 = 0
    private var latest: UInt64 = 0

    var dropped: UInt64 { earlier &+ latest }

    mutating func add(_ report: StatusReport) {
        let lanes = report.devices.flatMap(\.rules).flatMap(\.lanes)
        add(dropped: lanes.reduce(0) { $0 &+ ($1.counters?.droppedPackets ?? 0) })
    }

    /// Stores the sum of all present lanes; a smaller sum than before means that the lanes are new.
    mutating func add(dropped: UInt64) {
        if dropped < latest { earlier &+= latest }
        latest = dropped
    }
}
