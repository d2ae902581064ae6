// SPDX-License-Identifier: Apache-2.0

internal import DequeModule

/// The room for the records of all connections that wait for keys. When it is full, the connections that have waited
/// longest give up.
final class WaitingRecords {
    /// The maximum bytes of waiting records of one connection; `maximum` is for all connections.
    static let ofConnection = 1 << 20
    private static let maximum = 32 << 20
    /// The memory of a record besides its content.
    static let overhead = 200

    private struct Waiting {
        weak var connection: TLSConnectionDecoder?
    }

    private var count = 0
    private var order: Deque<Waiting> = []
    /// The length of the list at which connections that no longer wait are removed from it.
    private var limit = minimumLimit

    static let minimumLimit = 1024
    var listed: Int { order.count }

    /// Notes that a connection starts to wait.
    func begin(_ connection: TLSConnectionDecoder) {
        order.append(Waiting(connection: connection))
        guard order.count > limit else { return }
        // Nearly every connection waits for a moment: the server's first encrypted records come before the client logs
        // keys.
        order.removeAll { $0.connection?.isWaiting != true }
        limit = max(2 * order.count, Self.minimumLimit)
    }

    /// Notes that `bytes` more bytes wait; makes the connections that have waited longest give up if there is no room.
    func add(_ bytes: Int) {
        count += bytes
        while count > Self.maximum, let oldest = order.popFirst() { oldest.connection?.giveUpWaiting() }
    }

    func remove(_ bytes: Int) { count -= bytes }
}
