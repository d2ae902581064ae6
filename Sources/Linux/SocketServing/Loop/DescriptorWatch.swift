// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls

/// The owner of a watched descriptor. The loop keeps it until the watch ends.
package protocol DescriptorOwner: AnyObject {
    /// Called again in each turn of the loop for as long as the descriptor stays ready.
    func descriptorIsReady(_ readiness: Readiness)
    /// Closes the descriptor: the loop watches no more.
    func loopHasEnded()
}

/// A descriptor that an event loop watches. Used on the loop's thread only.
package final class DescriptorWatch {
    package let descriptor: CInt
    /// The loop's name for it: the kernel may give the number of a closed descriptor to another one, before the loop gets
    /// to an event of the first.
    let key: UInt64
    private(set) var owner: (any DescriptorOwner)?
    private unowned let loop: EventLoop
    private var isSuspended = false

    init(_ descriptor: CInt, key: UInt64, _ interest: Readiness, owner: any DescriptorOwner, loop: EventLoop) {
        (self.descriptor, self.key, self.interest, self.owner, self.loop) = (descriptor, key, interest, owner, loop)
    }

    /// The events to watch for, apart from failures.
    package var interest: Readiness {
        didSet {
            guard interest != oldValue || isSuspended, owner != nil else { return }
            isSuspended = false
            lc_watch(loop.poller, descriptor, interest.rawValue, key)
        }
    }

    /// Reports not even failures, until the interest is set: a connection that has ended in both directions is reported
    /// as failed for as long as it is watched.
    package func suspend() {
        isSuspended = true
        lc_unwatch(loop.poller, descriptor)
    }

    /// Ends the watch. To be called before the descriptor is closed.
    package func end() {
        guard owner != nil else { return }
        owner = nil
        lc_unwatch(loop.poller, descriptor)
        loop.forget(self)
    }
}
