// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Synchronization

/// Writes to standard output on another thread, so that a reader that does not read blocks nothing else.
final class OutputQueue: Sendable {
    /// Signalled after all bytes were written, or writing failed.
    let progress: EventFD

    private let mailbox: Mailbox<[UInt8]>
    /// The number of bytes that are not yet written.
    private let pending = Atomic(0)
    /// The errno of the failed write; 0 if none has failed.
    private let failedWith = Atomic<CInt>(0)
    private static let limit = 1 << 20

    init() throws(SystemError) {
        progress = try EventFD()
        mailbox = try Mailbox([])
        try PosixThread.detach { [self] in writeEverything() }
    }

    /// The errno with which writing failed; nil if it has not.
    var failure: CInt? {
        let code = failedWith.load(ordering: .acquiring)
        return code == 0 ? nil : code
    }

    var isIdle: Bool { pending.load(ordering: .acquiring) == 0 }

    func hasRoom(for count: Int) -> Bool {
        let waiting = pending.load(ordering: .acquiring)
        return waiting == 0 || waiting + count <= Self.limit
    }

    /// Adds bytes, even beyond the limit that `hasRoom` checks.
    func send(_ bytes: [UInt8]) {
        pending.add(bytes.count, ordering: .acquiringAndReleasing)
        mailbox.send { $0 += bytes }
    }

    private func writeEverything() {
        var bytes: [UInt8] = []
        while failure == nil {
            Wait.untilReadable([mailbox.wakeup.descriptor])
            bytes.removeAll()
            mailbox.dequeue(into: &bytes)
            if let code = Descriptors.write(bytes[...], to: STDOUT_FILENO) {
                failedWith.store(code, ordering: .releasing)
            }
            pending.subtract(bytes.count, ordering: .acquiringAndReleasing)
            progress.signal()
        }
    }
}
