// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The subscribers of a watcher, and the state that a new one is told first.
final class Audience: Sendable {
    private struct Members {
        var state: LocalState
        var mailboxes: [ObjectIdentifier: UpdateMailbox] = [:]
        var handlers: [ObjectIdentifier: @Sendable (LocalUpdate) -> Void] = [:]
        var isDismissed = false
    }

    private let members: Mutex<Members>

    init(_ state: LocalState) {
        members = Mutex(Members(state: state))
    }

    var state: LocalState { members.withLock(\.state) }

    /// Adds a subscriber, whose first update is the present state.
    ///
    /// - Parameter handler: who is called with updates (`callHandlers`); nil where somebody reads the mailbox.
    func join(limit: Int, handler: (@Sendable (LocalUpdate) -> Void)? = nil) -> UpdateMailbox {
        members.withLock { members in
            let mailbox = UpdateMailbox(members.isDismissed ? nil : members.state, limit: limit)
            if !members.isDismissed {
                members.mailboxes[ObjectIdentifier(mailbox)] = mailbox
                members.handlers[ObjectIdentifier(mailbox)] = handler
            }
            return mailbox
        }
    }

    func leave(_ mailbox: UpdateMailbox) {
        mailbox.close()
        members.withLock { members in
            members.mailboxes[ObjectIdentifier(mailbox)] = nil
            members.handlers[ObjectIdentifier(mailbox)] = nil
        }
    }

    /// Tells everybody.
    func publish(_ state: LocalState, _ events: [LinkEvent]) {
        members.withLock { members in
            members.state = state
            for mailbox in members.mailboxes.values { mailbox.put(state, events) }
        }
    }

    /// Calls those who want to be called, on the caller's thread, until `isOver` says so.
    func callHandlers(until isOver: () -> Bool) {
        let waiting = members.withLock { members in
            members.handlers.compactMap { key, handler in members.mailboxes[key].map { ($0, handler) } }
        }
        for (mailbox, handler) in waiting {
            if isOver() { return }
            if let update = mailbox.take() { handler(update) }
        }
    }

    /// Ends every subscription.
    func dismiss() {
        let mailboxes = members.withLock { members in
            members.isDismissed = true
            members.handlers = [:]
            defer { members.mailboxes = [:] }
            return members.mailboxes
        }
        for mailbox in mailboxes.values { mailbox.close() }
    }
}
