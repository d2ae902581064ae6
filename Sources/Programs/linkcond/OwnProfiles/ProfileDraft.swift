// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Glibc
import LinkProfiles
import LinuxSystem
import ProfileCatalog

/// The text of a profile while it is edited: a hidden file in the profile's directory, which replaces the profile once
/// it is valid.
///
/// If this process is killed, the draft stays, and the next edit continues with it.
struct ProfileDraft {
    /// The path of the profile's file, as given.
    let file: String
    /// The path of the draft's file.
    let path: String
    /// The directory of both files, with symbolic links resolved, so that a link to the profile is not replaced by a
    /// file.
    private let directory: Directory
    private let name: String
    private let original: [UInt8]
    private let mode: mode_t

    /// Reads the profile in `file`, and locks it as long as this process lives.
    init(of file: String) throws {
        let descriptor = try checked(open(file, O_RDONLY | O_CLOEXEC), "open \(file)")
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw Failure(.busy, "another process is changing \(file)")
        }
        original = try SmallFile.read(descriptor, named: file, limit: Profile.maximumBytes)
        var facts = stat()
        try checked(fstat(descriptor, &facts), "read \(file)")
        mode = facts.st_mode & 0o777
        let real = realpath(file, nil)
        defer { free(real) }
        let target = real.map { String(cString: $0) } ?? file
        name = target.split(separator: "/").last.map(String.init) ?? target
        directory = try Directory(making: String(target.dropLast(name.count)))
        self.file = file
        path = "\(directory.path)/\(Self.draft(of: name))"
    }

    /// Hidden, so that the catalog does not list it; ends with .json, so that editors recognize the format.
    private static func draft(of name: String) -> String {
        ".\(name.hasSuffix(".json") ? name.dropLast(5) : name[...]).draft.json"
    }

    /// Creates the draft's file, unless an earlier edit has left one with changes.
    ///
    /// - Returns: whether an earlier draft exists.
    func begin() throws -> Bool {
        if try text() == original { try remove() }
        do throws(SystemError) {
            try directory.add(Self.draft(of: name), mode: 0o600) { Descriptors.write(original[...], to: $0) }
            return false
        } catch {
            guard error.code == EEXIST else { throw error }
            return true
        }
    }

    /// Whether the draft differs from the profile; false if the draft was deleted.
    func isChanged() throws -> Bool {
        guard let text = try text() else { return false }
        return text != original
    }

    private func text() throws -> [UInt8]? {
        do throws(SystemError) {
            return try SmallFile.read(path, limit: Profile.maximumBytes)
        } catch {
            guard error.code == ENOENT else { throw error }
            return nil
        }
    }

    /// Replaces the profile by the draft.
    func publish() throws {
        guard let text = try text() else { return }
        guard try SmallFile.read("\(directory.path)/\(name)", limit: Profile.maximumBytes) == original else {
            throw Failure(.busy, "another process has changed \(file)")
        }
        try directory.replace(name, mode: mode) { Descriptors.write(text[...], to: $0) }
        try remove()
    }

    /// Deletes the draft, if there is one.
    func remove() throws { try directory.remove(Self.draft(of: name)) }
}
