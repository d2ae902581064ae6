// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Glibc
import LinkProfiles
import LinuxSystem
import ProfileCatalog
import Reports
import Sandboxing

/// The directory of the user's own profiles, for commands that change it.
struct OwnProfiles {
    let path: String
    /// All profiles, including the user's own.
    let all: Catalog
    let own: Catalog

    /// Finds the directory. If root was called by sudo, and the directory belongs to sudo's caller, this process drops
    /// root's privileges for good: the caller's symbolic links must not redirect root, and new files have to belong to
    /// the caller.
    init(extra: [String] = []) throws {
        var all = CatalogOptions.catalog(extra: extra)
        guard let path = all.ownDirectory else {
            throw Failure(.usage, "neither XDG_CONFIG_HOME nor HOME says where your own profiles are")
        }
        if geteuid() == 0, let caller = getenv("SUDO_UID").flatMap({ UInt32(String(cString: $0)) }), caller != 0,
            Self.owner(ofExisting: path) == caller
        {
            try Account(named: "\(caller)").takeRights()
            all = CatalogOptions.catalog(extra: extra)
        }
        (self.path, self.all, own) = (path, all, all.own)
        if let untrusted = own.untrusted().first { throw Self.refusal(untrusted) }
    }

    /// The owner of the directory, or of its nearest existing parent.
    private static func owner(ofExisting path: String) -> UInt32? {
        var facts = stat()
        var path = Substring(path)
        while stat(String(path), &facts) != 0 {
            guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return nil }
            path = path[..<slash]
        }
        return facts.st_uid
    }

    private static func refusal(_ untrusted: UntrustedDirectory) -> Failure {
        Failure(.notPermitted, "root keeps no profiles in a directory that others may change: \(untrusted)")
    }

    /// The path of the user's own file that contains the profile `name`; `action` names the intended operation in
    /// errors.
    func file(_ name: String, to action: String) throws -> String {
        guard !Catalog.isPath(name) else {
            throw Failure(
                .usage,
                "\(name) is a path; \"\(action)\" is for a profile's name",
                remedy: "linkcond list --mine"
            )
        }
        do throws(CatalogError) {
            return try own.file(name)
        } catch {
            guard case .unknownName(_, let nearest) = error else { throw error }
            throw absence(of: name, nearest: nearest, action)
        }
    }

    private func absence(of name: String, nearest: String?, _ action: String) -> Failure {
        guard let other = try? all.profile(name) else {
            let hint = nearest.map { "; did you mean \"\($0)\"?" } ?? ""
            return Failure(
                .notFound,
                "no profile of your own is called \"\(name)\"\(hint)",
                remedy: "linkcond list --mine"
            )
        }
        let name = other.profile.name
        let copy = "linkcond new \("My \(name)".shellWord) --from \(name.shellWord)"
        guard case .file(let path) = other.origin else {
            return Failure(.usage, "\"\(name)\" is built in; \(action) is for your own profiles", remedy: copy)
        }
        return Failure(.usage, "\"\(name)\" is \(path), which is not among your own profiles, in \(self.path)")
    }

    /// Writes a new profile; returns the path of its file.
    func add(_ profile: Profile) throws -> String {
        try refuseTaken(profile.name, except: nil)
        let directory = try Directory(making: path, mode: 0o700)
        if let facts = directory.facts, let untrusted = own.untrusted(facts, at: path) { throw Self.refusal(untrusted) }
        let file = Catalog.fileName(for: profile.name)
        do throws(SystemError) {
            try directory.add(file, mode: 0o644) {
                Descriptors.write(Array("\(profile.json.text)\n".utf8)[...], to: $0)
            }
        } catch {
            guard error.code == EEXIST else { throw error }
            throw Failure(.usage, "\(path)/\(file) is there already, with something else", remedy: "another name")
        }
        return "\(path)/\(file)"
    }

    /// Throws if another of the user's own files contains a profile of this name.
    func refuseTaken(_ name: String, except file: String?) throws {
        guard let other = try? own.file(name), other != file else { return }
        throw Failure(
            .usage,
            "\"\(name)\" is there already: \(other)",
            remedy: "linkcond edit \(name.shellWord), or another name"
        )
    }

    /// Prints a note if the profile in `file` hides a built-in one, or is hidden by a profile in a directory that is
    /// searched earlier.
    func noteHidden(_ profile: Profile, in file: String) {
        guard let found = try? all.profile(profile.name) else { return }
        if found.origin != .file(file) {
            Console.note("note: \"\(profile.name)\" is \(found.origin), which is searched before your own profiles")
        } else if found.hidesBuiltIn {
            Console.note("note: it is used in place of the built-in profile of that name")
        }
    }
}
