// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What `body` gives for each item, all of them at the same time, each on a thread of its own: for what mostly waits.
/// The threads have no current test, so expectations belong after it.
package func sideBySide<Item, Value>(_ items: [Item], _ body: @escaping (Item) throws -> Value) throws -> [Value] {
    nonisolated(unsafe) let body = body
    nonisolated(unsafe) let items = items
    nonisolated(unsafe) var results: [Int: Result<Value, any Error>] = [:]
    let lock = NSLock()
    let all = DispatchGroup()
    for index in items.indices {
        all.enter()
        Thread.detachNewThread {
            let result = Result { try body(items[index]) }
            lock.withLock { results[index] = result }
            all.leave()
        }
    }
    all.wait()
    return try items.indices.compactMap { try results[$0]?.get() }
}
