// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles

/// A profile with its origin.
public struct LoadedProfile: Sendable {
    /// The origin of a profile.
    public enum Origin: Hashable, Sendable, CustomStringConvertible {
        /// The profiles embedded in the program.
        case builtIn
        /// A file.
        case file(String)
        /// Standard input.
        case standardInput
        /// Figures on the command line.
        case commandLine

        /// Makes the origin for the file at `path`; "-" is standard input.
        init(path: String) { self = path == "-" ? .standardInput : .file(path) }

        /// "built in", the path, or "standard input".
        public var description: String {
            switch self {
            case .builtIn: "built in"
            case .file(let path): path
            case .standardInput: "standard input"
            case .commandLine: "command line"
            }
        }
    }

    /// The profile.
    public var profile: Profile
    /// The origin.
    public let origin: Origin
    /// Whether a built-in profile has the same name and other conditions.
    public internal(set) var hidesBuiltIn = false
    /// Whether it is a profile of the program, or a file with the same content.
    package internal(set) var isBuiltIn = false
    /// Whether a search by name found the file, so that the user did not give its path.
    var isFound = false

    /// Makes a profile with its origin.
    public init(profile: Profile, origin: Origin) {
        self.profile = profile
        self.origin = origin
    }

    /// Reads the profile at `path`, which the user gave; "-" is standard input.
    public static func read(path: String) throws(CatalogError) -> LoadedProfile {
        try read(utf8: bytes(path: path), path: path)
    }

    /// Reads the profile from the content of the file at `path`, which the user gave; "-" is standard input.
    static func read(utf8 bytes: [UInt8], path: String) throws(CatalogError) -> LoadedProfile {
        var loaded = try LoadedProfile(utf8: bytes, path: path)
        loaded.hidesBuiltIn = BuiltInProfiles.hasAnother(loaded.profile)
        return loaded
    }

    /// Parses the content of the file at `path`; "-" is standard input.
    init(utf8 bytes: [UInt8], path: String) throws(CatalogError) {
        origin = Origin(path: path)
        do {
            profile = try Profile(utf8: bytes)
        } catch {
            throw .invalid(path: "\(origin)", error)
        }
    }

    /// Returns the content of the file at `path`; "-" is standard input.
    static func bytes(path: String) throws(CatalogError) -> [UInt8] {
        do {
            return path == "-"
                ? try FileReading.bytes(of: 0, path: "standard input", limit: Profile.maximumBytes)
                : try FileReading.bytes(atPath: path, limit: Profile.maximumBytes)
        } catch {
            throw .unreadable(error)
        }
    }

    /// Reads the recordings of the profile, whose paths are relative to the profile's file.
    public func traces() throws(CatalogError) -> [(reference: TraceReference, trace: Trace)] {
        var traces: [(TraceReference, Trace)] = []
        var problems: [UnusableTrace] = []
        for (path, reference) in profile.locatedTraces {
            do throws(UnusableTrace) {
                traces.append((reference, try trace(reference, path.appending("file"))))
            } catch {
                problems.append(error)
            }
        }
        guard problems.isEmpty else {
            let isFile = if case .file = origin { true } else { false }
            throw .unusableTraces(profile: isFile ? "\(origin)" : "profile \"\(profile.name)\"", problems)
        }
        return traces
    }

    private func trace(_ reference: TraceReference, _ path: JSONPath) throws(UnusableTrace) -> Trace {
        let file = resolve(reference.file)
        let bytes: [UInt8]
        do throws(UnreadableFile) {
            bytes = try FileReading.bytes(atPath: file, limit: Self.maximumTraceBytes, isFound: isFound)
        } catch {
            throw UnusableTrace(path: path, error)
        }
        do throws(Trace.Malformed) {
            return try Trace(String(decoding: bytes, as: UTF8.self), format: reference.format)
        } catch {
            throw UnusableTrace(path: path, file: file, error)
        }
    }

    // A limit far above the largest known recording, 3.5 MB.
    private static let maximumTraceBytes = 64 << 20

    func resolve(_ file: String) -> String {
        guard !file.hasPrefix("/"), case .file(let path) = origin, let slash = path.lastIndex(of: "/") else {
            return file
        }
        return path[...slash] + file
    }
}
