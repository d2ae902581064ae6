// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The subscribers to a source's elements: streams and handlers.
package final class Subscribers<Element: Sendable>: Sendable {
    private struct Member {
        let subscription: Subscription<Element>
        let accepts: @Sendable (Element) -> Bool
        let handler: (@Sendable (Element) -> Void)?
    }

    private struct State {
        var current: Element?
        var members: [ObjectIdentifier: Member] = [:]
        var isFinished = false
    }

    private let state: Mutex<State>

    /// - Parameter current: The first element of every subscription; nil for none.
    package init(current: Element? = nil) {
        state = Mutex(State(current: current))
    }

    /// The element with which a new subscription starts.
    package var current: Element? { state.withLock(\.current) }

    /// Adds a subscriber and returns its subscription, which is empty and finished if `finish` was called before.
    ///
    /// - Parameters:
    ///   - accepts: Whether to deliver an element to this subscriber. Called with the lock held.
    ///   - handler: The function that `callHandlers` calls with each element; nil for a subscriber that reads them
    ///     itself.
    package func add(
        _ policy: Subscription<Element>.Policy,
        accepts: @escaping @Sendable (Element) -> Bool = { _ in true },
        handler: (@Sendable (Element) -> Void)? = nil
    ) -> Subscription<Element> {
        let subscription = Subscription(policy)
        state.withLock { state in
            guard !state.isFinished else { return subscription.finish() }
            if let current = state.current { subscription.put(current) }
            state.members[ObjectIdentifier(subscription)] = Member(
                subscription: subscription,
                accepts: accepts,
                handler: handler
            )
        }
        return subscription
    }

    package func remove(_ subscription: Subscription<Element>) {
        subscription.finish()
        state.withLock { $0.members[ObjectIdentifier(subscription)] = nil }
    }

    /// Adds `element` to each subscription that accepts it.
    ///
    /// - Parameter current: The element with which later subscriptions start; nil for no change.
    package func publish(_ element: Element, current: Element? = nil) {
        state.withLock { state in
            if let current { state.current = current }
            for member in state.members.values where member.accepts(element) { member.subscription.put(element) }
        }
    }

    /// Calls, on the calling thread, each handler that has an element waiting, until `isOver` returns true.
    package func callHandlers(until isOver: () -> Bool) {
        let members = state.withLock { $0.members.values.filter { $0.handler != nil } }
        for member in members {
            if isOver() { return }
            if let element = member.subscription.dequeue() { member.handler?(element) }
        }
    }

    package func finish() {
        let members = state.withLock { state in
            state.isFinished = true
            defer { state.members = [:] }
            return state.members
        }
        for member in members.values { member.subscription.finish() }
    }
}

/// Keeps a subscription until it is released, and then calls `end`.
package final class ActiveSubscription<Element: Sendable>: Sendable {
    package let subscription: Subscription<Element>
    private let end: @Sendable () -> Void

    /// - Parameter end: Ends the subscription at its source.
    package init(_ subscription: Subscription<Element>, end: @escaping @Sendable () -> Void) {
        self.subscription = subscription
        self.end = end
    }

    deinit { end() }
}
