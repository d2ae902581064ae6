// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls

/// The owner of a watched descriptor. The loop retains the owner until the watch ends.
package protocol DescriptorOwner: AnyObject {
    /// Called in each turn of the loop for as long as the descriptor is ready.
    func descriptorIsReady(_ readiness: Readiness)
    /// Called when the loop ends: close the descriptor.
    func loopHasEnded()
}

/// A descriptor that an event loop watches. Used on the loop's thread only.
package final class DescriptorWatch {
    package let descriptor: CInt
    /// The loop's key for the watch, instead of the descriptor's number: the kernel may reuse the number of a closed
    /// descriptor before the loop handles an event of the first one.
    let key: UInt64
    private(set) var owner: (any DescriptorOwner)?
    private unowned let loop: EventLoop
    private var isSuspended = false

    init(_ descriptor: CInt, key: UInt64, _ interest: Readiness, owner: any DescriptorOwner, loop: EventLoop) {
        (self.descriptor, self.key, self.interest, self.owner, self.loop) = (descriptor, key, interest, owner, loop)
    }

    /// The events to watch for; failures are always reported.
    package var interest: Readiness {
        didSet {
            guard interest != oldValue || isSuspended, owner != nil else { return }
            isSuspended = false
            lc_watch(loop.poller, descriptor, interest.rawValue, key)
        }
    }

    /// Stops all reports, even of failures, until `interest` is set: a connection that has ended in both directions
    /// would be reported as failed in every turn.
    package func suspend() {
        isSuspended = true
        lc_unwatch(loop.poller, descriptor)
    }

    /// Ends the watch. Call it before the descriptor is closed.
    package func end() {
        guard owner != nil else { return }
        owner = nil
        lc_unwatch(loop.poller, descriptor)
        loop.forget(self)
    }
}
