// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles

/// Why a profile cannot be had.
public enum CatalogError: Error {
    /// No profile has this name; perhaps one is spelled nearly so.
    case unknownName(String, nearest: String?)
    /// A file or directory cannot be read.
    case unreadable(UnreadableFile)
    /// A file is not a profile; all its mistakes.
    case invalid(path: String, InvalidProfile)
    /// A profile's trace is missing or malformed.
    case badTrace(path: String, reason: String)
}

extension CatalogError: CustomStringConvertible {
    /// One line a mistake.
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
