// SPDX-License-Identifier: Apache-2.0

internal import DequeModule

/// The room for the records of all connections that wait for their keys: if it is full, those that wait longest give up.
final class WaitingRecords {
    /// Bytes of records that may wait, of one connection, and of all.
    static let ofConnection = 1 << 20
    private static let most = 32 << 20
    /// What a record takes beside its content.
    static let overhead = 200

    private struct Waiting {
        weak var connection: TLSConnectionDecoder?
    }

    private var count = 0
    private var order: Deque<Waiting> = []

    /// Notes that a connection begins to wait.
    func begin(_ connection: TLSConnectionDecoder) { order.append(Waiting(connection: connection)) }

    /// Notes that as many bytes more wait.
    func add(_ bytes: Int) {
        count += bytes
        while count > Self.most, let oldest = order.popFirst() { oldest.connection?.giveUpWaiting() }
    }

    func remove(_ bytes: Int) { count -= bytes }
}
