// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem

/// An engine or a runtime, and the time of its next query.
struct WatchedSource {
    let source: any ContainerSource
    /// The stream of events; nil if the source has none.
    private(set) var events: EngineEvents?
    /// The time, by `BootClock`, at which to list the source's containers next.
    private(set) var due = Duration.zero
    /// The reason why the last query failed; nil if it succeeded.
    var failure: String?
    /// The IDs of the containers that cannot be conditioned, and for which this has been reported.
    var refused: Set<String> = []
    /// The start times of the containers that have ended, by ID. An engine may still list an ended container when the
    /// process ID of its first process already belongs to another container.
    var ended: [String: String] = [:]

    /// The interval between queries without events: the maximum delay until a new container is found.
    private static let pollInterval = Duration.seconds(1)
    /// The interval between queries with events, in case an event is lost.
    private static let checkInterval = Duration.seconds(10)
    /// The delay after an event, so that containers that start at the same time are listed together.
    private static let pause = Duration.milliseconds(50)

    init(_ source: any ContainerSource) { self.source = source }

    /// Lists the running containers, with and without linkcond's labels, and schedules the next query.
    mutating func running() throws(ContainerError) -> [Container] {
        due = BootClock.now + Self.pollInterval
        // Subscribe before listing: a container that starts after the list causes an event.
        if events == nil { events = source.events() }
        let running = try source.running()
        if events != nil { due = BootClock.now + Self.checkInterval }
        let listed = Set(running.map(\.id))
        refused.formIntersection(listed)
        ended = ended.filter { listed.contains($0.key) }
        return running
    }

    /// Reads the pending events, if any, and schedules a query soon.
    mutating func receiveEvents() {
        guard let events, Wait.isReadable(events.descriptor) else { return }
        hasten()
        guard !events.receive() else { return }
        events.close()
        self.events = nil
        // An engine that closed its stream may be restarting.
        due = BootClock.now + Self.pollInterval
    }

    /// Schedules the next query soon.
    mutating func hasten() { due = min(due, BootClock.now + Self.pause) }

    /// Schedules the next query as if there were no events: the source lists a container that could not be found.
    mutating func checkAgain() { due = min(due, BootClock.now + Self.pollInterval) }

    func close() { events?.close() }
}
