// SPDX-License-Identifier: Apache-2.0

import Foundation
import Netlink
import TestKit

@testable import LocalNetwork
@testable import Probing
@testable import Reachability

/// Every event of a watcher, gathered by a handler, in words: "up near", "address near 192.0.2.1/24".
final class EventLog: @unchecked Sendable {
    private let lock = NSLock()
    private var updates: [LocalUpdate] = []

    init(_ watcher: LocalWatcher) {
        watcher.observe { [weak self] update in
            guard let self else { return }
            lock.withLock { self.updates.append(update) }
        }
    }

    var all: [LocalUpdate] { lock.withLock { updates } }
    var events: [LinkEvent] { all.flatMap(\.events) }
    var words: [String] { events.map(\.change.words) }
    var missedEvents: Int { all.reduce(0) { $0 + $1.missedEvents } }

    /// Whether the numbers rise by one.
    var isGapless: Bool {
        zip(events, events.dropFirst()).allSatisfy { $0.sequence + 1 == $1.sequence }
    }

    /// Waits until the words of all events satisfy `condition`.
    @discardableResult
    func wait(until condition: ([String]) -> Bool) async -> Bool { await HangLimit.awaits { condition(words) } }
}

extension LinkEvent.Change {
    /// The change in a few words.
    var words: String {
        switch self {
        case .appeared(let status): "appeared \(status.link.name)"
        case .vanished(let status): "vanished \(status.link.name)"
        case .renamed(let status, let from): "renamed \(from) \(status.link.name)"
        case .wentUp(let status): "up \(status.link.name)"
        case .wentDown(let status): "down \(status.link.name)"
        case .carrierGained(let status): "carrier \(status.link.name)"
        case .carrierLost(let status): "no carrier \(status.link.name)"
        case .addressAdded(let address): "address \(address.address)/\(address.prefixLength)"
        case .addressChanged(let address, _): "address changed \(address.address)/\(address.prefixLength)"
        case .addressRemoved(let address): "no address \(address.address)/\(address.prefixLength)"
        case .routeAdded(let route): "route \(route.destination)/\(route.prefixLength)"
        case .routeRemoved(let route): "no route \(route.destination)/\(route.prefixLength)"
        case .resynced: "resynced"
        case .resumed: "resumed"
        case .clockSet: "clock set"
        }
    }
}
