// SPDX-License-Identifier: Apache-2.0

import NIOCore
internal import Netlink
import Synchronization

/// Asks by TLS and HTTP (`Probe.tls`, `Probe.http`).
///
/// Each probe has a connection of its own, to the address given; no name is resolved, no redirect followed, no
/// connection used again. All of them run on one thread, which starts with the first probe, in the network namespace
/// of the thread that starts that one; so do their sockets.
public final class WebProber: Prober {
    private let roots: TrustRoots
    let engine = Mutex<WebEngine?>(nil)

    /// Makes a prober that trusts these certificates; nothing is started or read.
    public init(roots: TrustRoots = .system) {
        self.roots = roots
    }

    /// Starts one probe; nothing is learnt by one of another kind.
    @discardableResult
    public func start(
        _ probe: Probe,
        timeout: Duration,
        done: @escaping @Sendable (Observation) -> Void
    ) -> ProbeHandle {
        let question: Exchange.Question
        let target: SocketAddress?
        switch probe {
        case .tls(let address, let port, let name):
            (question, target) = (.session(name: name), SocketAddress(address, port: port))
        case .http(let web, let address):
            (question, target) = (.web(web), SocketAddress(address, port: web.port))
        case .icmp, .tcp, .udp, .unix, .dns:
            (question, target) = (.session(name: ""), nil)
        }
        guard let target else {
            done(Observation(.nothing(.unsupported)))
            return ProbeHandle {}
        }
        let engine = engine.withLock { engine in
            let running = engine ?? WebEngine(roots: roots)
            engine = running
            return running
        }
        let exchange = Exchange(question, to: target, engine: engine, timeout: timeout, done: done)
        engine.loop.execute { exchange.begin() }
        return ProbeHandle { exchange.cancel() }
    }
}

extension SocketAddress {
    /// The address of a socket.
    fileprivate init?(_ address: IPAddress, port: UInt16) {
        guard let plain = try? SocketAddress(packedIPAddress: ByteBuffer(bytes: address.bytes), port: Int(port)) else {
            return nil
        }
        guard address.scope != 0, case .v6(let inner) = plain else {
            self = plain
            return
        }
        var scoped = inner.address
        // sin6_scope_id is the last of the structure (netinet/in.h).
        withUnsafeMutableBytes(of: &scoped) { bytes in
            bytes.storeBytes(of: address.scope, toByteOffset: bytes.count - MemoryLayout<UInt32>.size, as: UInt32.self)
        }
        self.init(scoped)
    }
}
