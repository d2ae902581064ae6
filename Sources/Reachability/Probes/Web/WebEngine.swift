// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix

/// The thread that web probes run on, and what they share there.
///
/// Every probe holds it, so that it ends with the last of them and of the probers.
final class WebEngine: @unchecked Sendable {
    let loop: any EventLoop
    private let group: MultiThreadedEventLoopGroup
    /// Of the event loop's thread.
    private var contexts: SessionContexts

    init(roots: TrustRoots) {
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        loop = group.next()
        contexts = SessionContexts(roots: roots)
    }

    deinit {
        group.shutdownGracefully { _ in }
    }

    /// The settings of sessions that offer these protocols.
    func session(protocols: [String]) throws -> SessionContexts.Entry {
        loop.assertInEventLoop()
        return try contexts.entry(protocols: protocols)
    }
}
