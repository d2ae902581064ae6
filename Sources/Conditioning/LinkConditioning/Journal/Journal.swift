// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem
internal import PacketPump

/// The journal entries in one directory: one for each conditioned interface of each network.
struct Journal {
    /// The directory, which exists.
    let directory: String
    let machine: any Machine
    let disk: any JournalFiles

    init(directory: String, on machine: any Machine = .real, _ disk: any JournalFiles = DiskFiles()) {
        (self.directory, self.machine, self.disk) = (directory, machine, disk)
    }

    /// Opens the journal for changes.
    ///
    /// - Returns: nil if no directory is usable and none is required.
    /// - Throws: `journal` if no directory is usable and one is required.
    static func open() throws(ConditioningError) -> Journal? {
        let choice = JournalDirectory.current
        var failure: SystemError?
        for path in choice.candidates {
            do {
                try JournalDirectory.prepare(path, creating: true)
                return Journal(directory: path)
            } catch {
                failure = failure ?? error
            }
        }
        if choice.isRequired, let failure { throw ConditioningError(journal: failure) }
        return nil
    }

    /// The existing journal; nil if there is none.
    ///
    /// - Throws: the reason why the journal cannot be read. Unless a journal is required, a directory of another user,
    ///   or a file that is no directory, counts as no journal.
    static func existing() throws(SystemError) -> Journal? {
        let choice = JournalDirectory.current
        for path in choice.candidates {
            do {
                try JournalDirectory.prepare(path, creating: false)
                try checked(access(path, R_OK | X_OK), "read \(path)")
                return Journal(directory: path)
            } catch {
                // A directory that cannot be used for changes holds no entry either.
                let isUnusable = !choice.isRequired && [EPERM, EACCES, ENOTDIR, ELOOP].contains(error.code)
                guard error.code == ENOENT || isUnusable else { throw error }
            }
        }
        return nil
    }

    func path(_ file: JournalFile, _ ending: String) -> String { "\(directory)/\(file.stem).\(ending)" }

    private func path(_ entry: JournalEntry, _ ending: String) -> String {
        path(entry.network.files(of: entry.index).present, ending)
    }

    /// Acquires the lock of an interface.
    func lock(
        _ index: Int32,
        in network: JournalNetwork,
        command: String,
        lockTimeout: Duration
    ) throws(InterfaceLock.Failure) -> any FileLock {
        try disk.lock(
            path(network.files(of: index).present, "lock"),
            holder: "\(machine.process.processID) (linkcond \(command))",
            lockTimeout: lockTimeout
        )
    }

    /// Reads the entry of the interface `index` of `network`.
    func read(_ index: Int32, in network: JournalNetwork) -> JournalReading {
        var decoded: DecodedEntry?
        return read(index, in: network, &decoded)
    }

    /// An entry's bytes, and the result of decoding them.
    typealias DecodedEntry = (bytes: [UInt8], reading: JournalReading)

    /// Reads the entry of the interface `index` of `network`, and stores it in `decoded`. Decodes the bytes only if
    /// they differ from those in `decoded`, an earlier reading for the same interface.
    func read(_ index: Int32, in network: JournalNetwork, _ decoded: inout DecodedEntry?) -> JournalReading {
        let files = network.files(of: index)
        let reading = read(files.present) { bytes in
            if let decoded, decoded.bytes == bytes { return decoded.reading }
            let reading = JournalReading(bytes, network: network, index: index)
            decoded = (bytes, reading)
            return reading
        }
        // An entry of format 2 is reported as `otherVersion`.
        return reading == .absent ? read(files.format2) { JournalReading($0) } : reading
    }

    /// Reads a file as an entry.
    func read(_ file: JournalFile, _ decode: ([UInt8]) -> JournalReading) -> JournalReading {
        do {
            return decode(try disk.read(path(file, "entry")))
        } catch {
            return error.code == ENOENT ? .absent : .unreadable(error)
        }
    }

    /// Replaces the entry of an interface.
    func write(_ entry: JournalEntry) throws(SystemError) {
        guard !entry.isEmpty else { return try remove(entry) }
        try disk.create(path(entry, "new"), JournalReading.bytes(of: entry))
        try disk.move(path(entry, "new"), to: path(entry, "entry"))
    }

    /// Writes `entry`, which names the change, and `next` beside it, so that `commit` needs no disk space.
    func begin(_ entry: JournalEntry, leadingTo next: JournalEntry) throws(SystemError) {
        precondition(entry.index == next.index && entry.network == next.network, "a change leads to another interface")
        if !next.isEmpty { try disk.create(path(next, "next"), JournalReading.bytes(of: next)) }
        do {
            try write(entry)
        } catch {
            try? disk.remove(path(next, "next"))
            throw error
        }
    }

    /// Replaces the entry by `next`, which `begin` has written beside it.
    func commit(_ next: JournalEntry) throws(SystemError) {
        guard !next.isEmpty else { return try remove(next) }
        try disk.move(path(next, "next"), to: path(next, "entry"))
    }

    /// Writes the entry from before a change that `begin` announced. If that fails, the present entry stays.
    func restore(_ before: JournalEntry) throws(SystemError) {
        // Deleted first, to free space: the disk may be full.
        try? disk.remove(path(before, "next"))
        try write(before)
    }

    /// Deletes the entry of an interface and its unfinished successors.
    func remove(_ entry: JournalEntry) throws(SystemError) {
        try remove(entry.index, in: entry.network)
    }

    func remove(_ index: Int32, in network: JournalNetwork) throws(SystemError) {
        let files = network.files(of: index)
        for file in [files.present, files.format2] { try remove(file) }
    }

    func remove(_ file: JournalFile) throws(SystemError) {
        for ending in ["new", "next", "entry"] { try disk.remove(path(file, ending)) }
    }

    /// The sockets of an interface's pumps.
    func pumpSockets(of index: Int32, in network: JournalNetwork) -> PumpSockets {
        PumpSockets(in: directory, stem: network.files(of: index).present.stem)
    }

    /// The sockets of the pumps of an entry's interface.
    func pumpSockets(of entry: JournalEntry) -> PumpSockets { pumpSockets(of: entry.index, in: entry.network) }

    /// Deletes the pump sockets of an interface that has no pumps any more.
    func removeSockets(_ file: JournalFile) {
        let sockets = PumpSockets(in: directory, stem: file.stem)
        for name in (try? disk.names(in: directory)) ?? [] where sockets.include(name) {
            try? disk.remove("\(directory)/\(name)")
        }
    }

    /// Deletes the files that killed processes left for interfaces without an entry: the lock, and an entry that was
    /// being written.
    ///
    /// - Parameter lockTimeout: the time to wait for another process, which may be writing the entry, or may be the
    ///   guardian of a command that was killed before it wrote one.
    func removeLeftoverFiles(lockTimeout: Duration = .zero) {
        for file in (try? files(["lock", "new", "next", PumpSockets.ending])) ?? [] {
            guard !disk.exists(path(file, "entry")),
                let lock = try? disk.lock(path(file, "lock"), holder: "", lockTimeout: lockTimeout)
            else { continue }
            // Another process may have written the entry before it released the lock.
            guard !disk.exists(path(file, "entry")) else { continue }
            for ending in ["new", "next"] { try? disk.remove(path(file, ending)) }
            removeSockets(file)
            lock.forget()
        }
    }

    /// The interfaces that have a file with one of `endings`: by default an entry, valid or not.
    func files(_ endings: Set<String> = ["entry"]) throws(SystemError) -> [JournalFile] {
        let names = try disk.names(in: directory).filter { name in
            endings.contains { name.hasSuffix(".\($0)") }
        }
        return Set(names.compactMap { JournalFile(name: $0) }).sorted { $0.stem < $1.stem }
    }
}
