// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Synchronization

/// Standard output that a thread of its own writes: a reader that does not read holds nothing up.
final class OutputQueue: Sendable {
    /// Readable after everything was written, or writing failed.
    let progress: EventFD

    private let mailbox: Mailbox<[UInt8]>
    /// Bytes that are not written yet.
    private let pending = Atomic(0)
    /// The errno of the write that failed; zero without any.
    private let failedWith = Atomic<CInt>(0)
    private static let limit = 1 << 20

    init() throws(SystemError) {
        progress = try EventFD()
        mailbox = try Mailbox([])
        try PosixThread.detach { [self] in writeEverything() }
    }

    /// The reason why nothing can be written any more: an errno.
    var failure: CInt? {
        let code = failedWith.load(ordering: .acquiring)
        return code == 0 ? nil : code
    }

    var isIdle: Bool { pending.load(ordering: .acquiring) == 0 }

    func hasRoom(for count: Int) -> Bool {
        let waiting = pending.load(ordering: .acquiring)
        return waiting == 0 || waiting + count <= Self.limit
    }

    /// Adds bytes, whether there is room or not.
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
