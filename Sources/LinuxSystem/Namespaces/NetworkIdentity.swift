// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls

/// What tells a network namespace from every other one of this boot.
///
/// The inode does not suffice: the kernel gives it to the next namespace as soon as the first one ends.
public struct NetworkIdentity: Hashable, Sendable {
    /// The inode, which proc(5) shows.
    public var inode: UInt64
    /// The number that only this namespace has.
    public var number: Number

    /// A number that no other namespace of this boot has.
    public enum Number: Hashable, Sendable {
        /// The kernel's: SO_NETNS_COOKIE, since Linux 5.14.
        case cookie(UInt64)
        /// A random number that linkcond has put into the namespace.
        case mark(UInt64)
    }

    /// Makes an identity.
    public init(inode: UInt64, number: Number) {
        self.inode = inode
        self.number = number
    }
}

extension NetworkIdentity.Number {
    /// The cookie of the calling thread's namespace; nil before Linux 5.14.
    package static var currentCookie: NetworkIdentity.Number? {
        var cookie: UInt64 = 0
        return lc_network_cookie(&cookie) == 0 ? .cookie(cookie) : nil
    }
}
