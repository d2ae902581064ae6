// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Glibc
import InternetAddresses
import LinuxSystem
import SocketServing
import Synchronization

/// Serves `GET /metrics`, with one response per connection.
///
/// Clients may be hostile, so the number of connections is limited, each ends after a few seconds, and the text is
/// generated at most once a second.
final class MetricsServer {
    /// A connection ends after 5 s if its client does not send a request, or does not read the response.
    private static let limits = ServedConnections.Limits(connections: 16, idle: .seconds(5))

    private let socket: MetricsSocket?
    private let server: LoopBound<HTTPServer?>

    /// Serves on another thread until the process ends.
    init(_ results: ResultStore, at place: MetricsEndpoint) throws {
        if case .socket(let path) = place { try MetricsSocket.makeRoom(at: path) }
        do {
            server = try Self.serve(MetricsCache(results), place, try Self.listen(at: place))
        } catch let error as SystemError {
            throw Failure(.unavailable, "cannot serve metrics: \(String(cString: strerror(error.code)))")
        }
        if case .socket(let path) = place { socket = MetricsSocket(bound: path) } else { socket = nil }
    }

    private static func serve(
        _ text: MetricsCache,
        _ place: MetricsEndpoint,
        _ descriptor: CInt
    ) throws(SystemError) -> LoopBound<HTTPServer?> {
        let loop = try EventLoop.start()
        return try loop.perform {
            let server = try? HTTPServer(descriptor, on: loop, limits, longestBody: 0) { request, connection, _ in
                place.admits(request)
                    ? answer(request, connection, text)
                    : refuse(connection, "metrics of this machine are not for another host's pages\n")
            }
            return LoopBound(server, on: loop)
        }
    }

    private static func listen(at place: MetricsEndpoint) throws -> CInt {
        let descriptor = try bound(at: place)
        guard Glibc.listen(descriptor, 128) == 0 else { throw SystemError(operation: "listen", code: errno) }
        return descriptor
    }

    private static func bound(at place: MetricsEndpoint) throws -> CInt {
        switch place {
        case .socket(let path):
            guard path.utf8.count <= ListeningSocket.longestPath else {
                throw Failure(.usage, "cannot serve metrics: \(path) is too long for a socket's address")
            }
            return try ListeningSocket.bound(to: path)
        case .address(let host, let port):
            guard let address = IPAddress(host) else {
                throw Failure(.usage, "cannot serve metrics: \(host) is not an address")
            }
            return try ListeningSocket.bound(to: lc_address(address, port: port))
        }
    }

    func close() { socket?.remove() }

    private static func refuse(_ connection: HTTPConnection, _ reason: String) {
        let fields = [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", "\(reason.utf8.count)")]
        connection.answer(403, fields, body: Array(reason.utf8), closes: true)
    }

    private static func answer(_ request: HTTPRequest, _ connection: HTTPConnection, _ text: MetricsCache) {
        let isForMetrics = request.path == "/metrics"
        let isKnown = isForMetrics && ["GET", "HEAD"].contains(request.method)
        let body = isKnown ? text.text : Array("known is GET /metrics\n".utf8)
        let fields = [
            ("Content-Type", "text/plain; version=0.0.4; charset=utf-8"), ("Content-Length", "\(body.count)"),
        ]
        connection.answer(isKnown ? 200 : isForMetrics ? 405 : 404, fields, body: body, closes: true)
    }
}

/// Caches the text of the metrics for a second.
private final class MetricsCache: Sendable {
    private struct State {
        /// Reads the lanes; nil if the kernel could not be asked.
        let lanes: LaneReader?
        var latest: (time: ContinuousClock.Instant, text: [UInt8])?
    }

    private let results: ResultStore
    private let state: Mutex<State>

    init(_ results: ResultStore) {
        self.results = results
        // The socket stays in the network namespace of this thread.
        state = Mutex(State(lanes: try? LaneReader()))
    }

    var text: [UInt8] {
        state.withLock { state in
            let now = ContinuousClock.now
            if let latest = state.latest, now - latest.time < .seconds(1) { return latest.text }
            let text = Array(MetricsText.text(results.rows, state.lanes?.devices() ?? []).utf8)
            state.latest = (now, text)
            return text
        }
    }
}

extension lc_address {
    /// Makes the C functions' form of an address and a port.
    fileprivate init(_ address: IPAddress, port: UInt16) {
        self.init()
        (length, scope, self.port) = (UInt8(address.length), address.scope, port)
        let content = address.bytes
        withUnsafeMutableBytes(of: &bytes) { $0.copyBytes(from: content) }
    }
}
