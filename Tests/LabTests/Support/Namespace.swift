// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Foundation

/// Things made inside a network namespace and used from anywhere.
enum Namespace {
    /// Runs `body` in the namespace called `name`. A namespace is a thread's own affair, so a thread of its own
    /// enters it, and ends there.
    static func run<Value>(in name: String, _ body: @escaping () -> Value?) throws -> Value {
        nonisolated(unsafe) var result: Value?
        nonisolated(unsafe) let body = body
        let thread = Thread {
            guard lc_enter_network_namespace("/run/netns/\(name)") == 0 else { return }
            result = body()
        }
        thread.start()
        while !thread.isFinished { usleep(200) }
        guard let result else { throw POSIXError(.ENXIO) }
        return result
    }

    /// A socket that belongs to the namespace called `name`.
    static func socket(in name: String, family: Int32, type: __socket_type) throws -> Int32 {
        let descriptor = try run(in: name) { Foundation.socket(family, Int32(type.rawValue), 0) }
        guard descriptor >= 0 else { throw POSIXError(.ENOTSOCK) }
        return descriptor
    }
}
