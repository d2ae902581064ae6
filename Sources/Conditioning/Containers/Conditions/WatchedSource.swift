// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem

/// An engine or a runtime, and when it is asked next.
struct WatchedSource {
    let source: any ContainerSource
    /// The stream of events; nil without one.
    private(set) var events: EngineEvents?
    /// The time of the next question for its containers, by `BootClock`.
    private(set) var due = Duration.zero
    /// The reason why it did not answer the last time; nil if it did.
    var failure: String?
    /// The containers, by ID, for which nothing is done, and about which that has been said.
    var refused: Set<String> = []
    /// The starts of the containers that have ended, by ID. An engine may not know of an end yet, when the ID of the
    /// first process is another container's already.
    var ended: [String: String] = [:]

    /// Without events, a container is found this long after its start at the latest.
    private static let pollInterval = Duration.seconds(1)
    /// With events, only one that an event did not tell of is found so.
    private static let checkInterval = Duration.seconds(10)
    /// Many containers that start at the same time are listed together.
    private static let pause = Duration.milliseconds(50)

    init(_ source: any ContainerSource) { self.source = source }

    /// Lists the containers that run, those without labels of linkcond as well.
    mutating func running() throws(ContainerError) -> [Container] {
        due = BootClock.now + Self.pollInterval
        // Before the list: what starts afterwards is told by an event.
        if events == nil { events = source.events() }
        let running = try source.running()
        if events != nil { due = BootClock.now + Self.checkInterval }
        let listed = Set(running.map(\.id))
        refused.formIntersection(listed)
        ended = ended.filter { listed.contains($0.key) }
        return running
    }

    /// Reads the events that have arrived, if any.
    mutating func receiveEvents() {
        guard let events, Wait.isReadable(events.descriptor) else { return }
        hasten()
        guard !events.receive() else { return }
        events.close()
        self.events = nil
        // An engine that has ended its stream may be starting again.
        due = BootClock.now + Self.pollInterval
    }

    /// Lets it be asked soon.
    mutating func hasten() { due = min(due, BootClock.now + Self.pause) }

    /// Lets it be asked again as if it had no events: it lists a container that cannot be found.
    mutating func checkAgain() { due = min(due, BootClock.now + Self.pollInterval) }

    func close() { events?.close() }
}
