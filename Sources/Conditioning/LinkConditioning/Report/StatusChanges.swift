// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem
internal import Netlink

/// Notices that what a ``StatusReport`` says may have changed, besides counters, without reading it: reading many rules
/// takes a tenth of a second. For the network of the thread that makes it; used on one thread.
package final class StatusChanges {
    private let kernel: ChangeMonitor?
    private let journal = inotify_init1(CInt(IN_CLOEXEC | IN_NONBLOCK))

    package init() {
        kernel = try? ChangeMonitor()
        watchJournal()
    }

    deinit { if journal >= 0 { close(journal) } }

    /// Whether something may have changed since the last call.
    package func haveOccurred() -> Bool {
        let hasKernelChanged = kernel?.hasChanged() ?? false
        return hasJournalChanged() || hasKernelChanged
    }

    /// Watches the journal's directory, which the first rule makes, and which may be made anew. Called beside each
    /// reading of the report.
    package func watchJournal() {
        guard journal >= 0, let directory = (try? Journal.existing())??.directory else { return }
        inotify_add_watch(journal, directory, UInt32(IN_MOVED_TO | IN_DELETE))
    }

    /// Entries are replaced and deleted; every reading of the report makes and deletes locks.
    private func hasJournalChanged() -> Bool {
        guard journal >= 0 else { return false }
        var hasChanged = false
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(journal, &buffer, buffer.count)
            guard count > 0 else { return hasChanged }
            hasChanged = hasChanged || Self.namesEntry(buffer[..<count])
        }
    }

    /// Whether one of the events names an entry: struct inotify_event has the watch, the change, a cookie and the
    /// length of the name that follows.
    static func namesEntry(_ events: ArraySlice<UInt8>) -> Bool {
        var rest = events
        while rest.count >= 16 {
            let length = rest.dropFirst(12).withUnsafeBytes { Int($0.loadUnaligned(as: UInt32.self)) }
            let name = rest.dropFirst(16).prefix(length).prefix { $0 != 0 }
            if name.suffix(6).elementsEqual(".entry".utf8) { return true }
            rest = rest.dropFirst(16 + length)
        }
        return false
    }
}
