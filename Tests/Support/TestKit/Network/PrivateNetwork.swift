// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Foundation

/// A network namespace of a test's own, which ends with its last reference.
///
/// A network namespace is a thread's, so one thread does everything in it: sockets opened there stay in it, and so do
/// children started there. The thread has no current test, so expectations belong outside.
package final class PrivateNetwork: @unchecked Sendable {
    private let jobs = Jobs()

    /// Makes an empty network.
    package convenience init() throws {
        try self.init("make a network") { lc_unshare(CInt(lc_network_namespace)) }
    }

    /// Enters a network that exists, by the path of its namespace.
    package convenience init(entering path: String) throws {
        try self.init("enter \(path)") { lc_enter_network_namespace(path) }
    }

    /// - Parameter enter: makes or enters the network, and gives zero or a negative errno.
    private init(_ operation: String, _ enter: @escaping () -> CInt) throws {
        let thread = Thread { [jobs] in
            jobs.run()
        }
        thread.start()
        let code = try run(enter)
        guard code == 0 else { throw TestFailure("\(operation): \(String(cString: strerror(-code)))") }
    }

    deinit { jobs.end() }

    /// Runs `body` in the network, and waits for it.
    package func run<Value>(_ body: @escaping () throws -> Value) throws -> Value {
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

    /// Runs `body` in an empty network that ends with it.
    package static func run<Value>(_ body: @escaping () throws -> Value) throws -> Value {
        try PrivateNetwork().run(body)
    }

    /// Runs `body` in the network with this path.
    package static func run<Value>(in path: String, _ body: @escaping () throws -> Value) throws -> Value {
        try PrivateNetwork(entering: path).run(body)
    }

    /// Runs `body` in an empty network that ends with it, without blocking a thread of the caller's.
    package static func perform<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread { continuation.resume(with: Result { try run(body) }) }.start()
        }
    }

    /// Runs a line of shell, which must succeed, in the network of the calling thread; what it prints.
    @discardableResult
    package static func shell(_ line: String) throws -> String {
        try Shell.check("exec 2>&1; \(line)")
    }

    /// Runs commands of ip(8), one a line, without their first word.
    package func ip(_ commands: String) throws {
        for command in commands.split(separator: "\n") {
            try ip(command.split(separator: " ").map(String.init))
        }
    }

    /// Runs one command of ip(8).
    package func ip(_ words: [String]) throws {
        try run { try CommandResult(of: ["ip"] + words) }.requireSuccess()
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
