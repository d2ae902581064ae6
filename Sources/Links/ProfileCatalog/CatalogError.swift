// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles

/// The reason why a profile cannot be loaded.
public enum CatalogError: Error {
    /// No profile has this name; `nearest` is the most similar name.
    case unknownName(String, nearest: String?)
    /// No scenario has this name, and no file; `nearest` is the most similar name.
    case unknownScenario(String, isProfile: Bool, nearest: String?)
    /// No population has this name, and no file; `nearest` is the most similar name.
    case unknownPopulation(String, nearest: String?)
    /// A file or directory cannot be read.
    case unreadable(UnreadableFile)
    /// A file is not a valid profile; contains all mistakes of the file.
    case invalid(path: String, InvalidProfile)
    /// Recordings of a profile cannot be used; contains all such recordings.
    case unusableTraces(profile: String, [UnusableTrace])
}

extension CatalogError: CustomStringConvertible {
    /// The message, one line for each mistake.
    public var description: String {
        switch self {
        case .unknownName(let name, _) where Catalog.isScenarioName(name): "\"\(name)\" is a scenario, not a profile"
        case .unknownName(let name, _) where Catalog.isPopulationName(name):
            "\"\(name)\" is a population, not a profile"
        case .unknownPopulation(let name, let nearest):
            "no population and no file is called \"\(name)\"" + (nearest.map { "; did you mean \"\($0)\"?" } ?? "")
        case .unknownScenario(let name, true, _): "\"\(name)\" is a profile, not a scenario"
        case .unknownScenario(let name, false, let nearest):
            "no scenario and no file is called \"\(name)\"" + (nearest.map { "; did you mean \"\($0)\"?" } ?? "")
        case .unknownName(let name, let nearest):
            "no profile is called \"\(name)\"" + (nearest.map { "; did you mean \"\($0)\"?" } ?? "")
        case .unreadable(let error): "cannot read \(error)"
        // Escapes file names, which may contain line feeds: each mistake must be one line.
        case .invalid(let path, let error):
            error.issues.map { "\(path.escapingControls()):\($0)" }.joined(separator: "\n")
        case .unusableTraces(let profile, let traces):
            traces.map { "\(profile.escapingControls()): \($0)" }.joined(separator: "\n")
        }
    }
}

/// A recording of a profile that cannot be used.
public struct UnusableTrace: Error, Hashable, CustomStringConvertible {
    /// The JSON path of the recording's file name in the profile.
    public let path: JSONPath
    /// The reason why its file cannot be read; nil if the file is malformed.
    public let unreadable: UnreadableFile?
    /// The file and the reason.
    public let reason: String

    init(path: JSONPath, _ error: UnreadableFile) {
        self.path = path
        unreadable = error
        reason = "cannot read \(error)"
    }

    init(path: JSONPath, file: String, _ error: Trace.Malformed) {
        self.path = path
        unreadable = nil
        reason = "\(file.escapingControls()): \(error)"
    }

    /// The path in the profile, the file and the reason.
    public var description: String { "\(path): \(reason)" }
}
