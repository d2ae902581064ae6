// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem

/// The files of a journal. Tests pass simulated ones.
protocol JournalFiles {
    /// Reads a whole file.
    func read(_ path: String) throws(SystemError) -> [UInt8]
    /// Writes a new file and waits until it is on the disk. After a failure there is no file.
    func create(_ path: String, _ bytes: [UInt8]) throws(SystemError)
    /// Renames a file, replacing the file of that name.
    func move(_ path: String, to target: String) throws(SystemError)
    /// Deletes a file if it exists.
    func remove(_ path: String) throws(SystemError)
    /// Whether the file may exist: false only if it certainly does not.
    func exists(_ path: String) -> Bool
    /// The names in a directory.
    func names(in directory: String) throws(SystemError) -> [String]
    /// Acquires a lock, waiting up to `lockTimeout`; `holder` names this process to others.
    func lock(_ path: String, holder: String, lockTimeout: Duration) throws(InterfaceLock.Failure) -> any FileLock
}

/// A lock on a file, until this object is released or the process ends.
protocol FileLock: AnyObject {
    /// Deletes the file. The holder calls it when the interface has no entry.
    func forget()
}

extension InterfaceLock: FileLock {}

/// Files of this machine.
struct DiskFiles: JournalFiles {
    func read(_ path: String) throws(SystemError) -> [UInt8] { try SmallFile.read(path) }
    func create(_ path: String, _ bytes: [UInt8]) throws(SystemError) { try SmallFile.create(path, bytes) }
    func move(_ path: String, to target: String) throws(SystemError) { try SmallFile.move(path, to: target) }
    func remove(_ path: String) throws(SystemError) { try SmallFile.remove(path) }
    func exists(_ path: String) -> Bool { access(path, F_OK) == 0 || errno != ENOENT }
    func names(in directory: String) throws(SystemError) -> [String] { try DirectoryListing.read(directory) }
    func lock(_ path: String, holder: String, lockTimeout: Duration) throws(InterfaceLock.Failure) -> any FileLock {
        try InterfaceLock.acquire(path, holder: holder, lockTimeout: lockTimeout)
    }
}
