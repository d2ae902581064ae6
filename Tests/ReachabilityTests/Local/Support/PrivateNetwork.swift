// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Foundation
import Glibc
import Netlink
import Testing

@testable import Reachability

/// A network namespace of a test's own, gone with this instance.
///
/// A namespace is a thread's, so one thread does everything in it: sockets opened there belong to it for good. The
/// thread has no current test, so expectations belong outside.
final class PrivateNetwork: @unchecked Sendable {
    static let need: Comment = "needs root for a network namespace"
    static var isAvailable: Bool { geteuid() == 0 }

    private let jobs = Jobs()

    init() throws {
        let thread = Thread { [jobs] in
            jobs.run()
        }
        thread.start()
        let code = try run { lc_unshare(CInt(lc_network_namespace)) }
        guard code == 0 else { throw NetlinkError(operation: "make a network", code: -code) }
    }

    deinit { jobs.end() }

    /// Runs `body` in the network, and waits for it.
    func run<Value>(_ body: @escaping () throws -> Value) throws -> Value {
        nonisolated(unsafe) var result: Result<Value, any Error>?
        nonisolated(unsafe) let body = body
        let done = DispatchSemaphore(value: 0)
        jobs.add {
            result = Result { try body() }
            done.signal()
        }
        done.wait()
        guard let result else { throw CancellationError() }
        return try result.get()
    }

    /// Runs commands of ip(8), one a line, without their first word.
    func ip(_ commands: String) throws {
        for command in commands.split(separator: "\n") {
            try ip(command.split(separator: " ").map(String.init))
        }
    }

    /// Runs one command of ip(8).
    func ip(_ words: [String]) throws {
        let status = try run { Self.spawn(["ip"] + words) }
        guard status == 0 else { throw CommandFailure(command: words.joined(separator: " "), status: status) }
    }

    struct CommandFailure: Error {
        let command: String
        let status: CInt
    }

    /// A child lives in the namespace of the thread that started it.
    private static func spawn(_ arguments: [String]) -> CInt {
        var pointers = arguments.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        var process = pid_t()
        let code = posix_spawnp(&process, "ip", nil, nil, &pointers, environ)
        guard code == 0 else { return code }
        var status = CInt()
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status
    }

    /// A watcher of this network.
    func watcher(receiveBuffer: Int = 4 << 20) throws -> LocalWatcher {
        try run { try LocalWatcher(receiveBuffer: receiveBuffer) }
    }

    /// A connection to this network, for one thread at a time.
    func connection() throws -> RouteConnection {
        try run { RouteConnection(try RouteSocket()) }
    }
}

/// What a thread is given to do.
private final class Jobs: @unchecked Sendable {
    private let condition = NSCondition()
    private var queue: [() -> Void] = []
    private var isOver = false

    func add(_ job: @escaping () -> Void) {
        condition.withLock {
            queue.append(job)
            condition.signal()
        }
    }

    func end() {
        condition.withLock {
            isOver = true
            condition.signal()
        }
    }

    func run() {
        while let job = next() { job() }
    }

    private func next() -> (() -> Void)? {
        condition.withLock {
            while queue.isEmpty, !isOver { condition.wait() }
            return queue.isEmpty ? nil : queue.removeFirst()
        }
    }
}
