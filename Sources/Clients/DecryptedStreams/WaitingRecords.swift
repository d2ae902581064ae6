// SPDX-License-Identifier: Apache-2.0

internal import DequeModule

/// The room for the records of all connections that wait for their keys: if it is full, those that wait longest give up.
final class WaitingRecords {
    /// Bytes of records that may wait, of one connection, and of all.
    static let ofConnection = 1 << 20
    private static let maximum = 32 << 20
    /// The memory of a record besides its content.
    static let overhead = 200

    private struct Waiting {
        weak var connection: TLSConnectionDecoder?
    }

    private var count = 0
    private var order: Deque<Waiting> = []
    /// The number of connections that are listed before those that no longer wait are removed.
    private var limit = minimumLimit

    static let minimumLimit = 1024
    var listed: Int { order.count }

    /// Notes that a connection begins to wait.
    func begin(_ connection: TLSConnectionDecoder) {
        order.append(Waiting(connection: connection))
        guard order.count > limit else { return }
        // Nearly every connection waits for a moment: what the server encrypts comes before the client has keys.
        order.removeAll { $0.connection?.isWaiting != true }
        limit = max(2 * order.count, Self.minimumLimit)
    }

    /// Notes that as many bytes more wait.
    func add(_ bytes: Int) {
        count += bytes
        while count > Self.maximum, let oldest = order.popFirst() { oldest.connection?.giveUpWaiting() }
    }

    func remove(_ bytes: Int) { count -= bytes }
}
