// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles

/// Why a profile cannot be loaded.
public enum CatalogError: Error {
    /// No profile has this name; `nearest` is the most similar name.
    case unknownName(String, nearest: String?)
    /// A file or directory cannot be read.
    case unreadable(UnreadableFile)
    /// A file is not a valid profile; with all its mistakes.
    case invalid(path: String, InvalidProfile)
    /// Recordings of a profile cannot be used; all of them.
    case unusableTraces(profile: String, [UnusableTrace])
}

extension CatalogError: CustomStringConvertible {
    /// The message, one line for each mistake.
    public var description: String {
        switch self {
        case .unknownName(let name, let nearest):
            "no profile is called \"\(name)\"" + (nearest.map { "; did you mean \"\($0)\"?" } ?? "")
        case .unreadable(let error): "cannot read \(error)"
        // The names of files may contain anything, and each mistake is a line.
        case .invalid(let path, let error):
            error.issues.map { "\(path.escapingControls()):\($0)" }.joined(separator: "\n")
        case .unusableTraces(let profile, let traces):
            traces.map { "\(profile.escapingControls()): \($0)" }.joined(separator: "\n")
        }
    }
}
