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
    /// The trace of a profile is malformed.
    case badTrace(path: String, reason: String)
}

extension CatalogError: CustomStringConvertible {
    /// The message, one line for each mistake.
    public var description: String {
        switch self {
        case .unknownName(let name, let nearest):
            "no profile is called \"\(name)\"" + (nearest.map { "; did you mean \"\($0)\"?" } ?? "")
        case .unreadable(let error): "cannot read \(error)"
        case .invalid(let path, let error): error.issues.map { "\(path):\($0)" }.joined(separator: "\n")
        case .badTrace(let path, let reason): "\(path): \(reason)"
        }
    }
}
