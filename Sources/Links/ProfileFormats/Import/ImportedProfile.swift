// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles

/// A profile read from a text of another tool, with remarks on the differences.
public struct ImportedProfile: Hashable, Sendable {
    /// The profile.
    public var profile: Profile
    /// The format of the text.
    public let format: ImportFormat
    /// Facts of the text that the profile lacks, and assumptions; a sentence each, without a full stop.
    public var remarks: [String]
}

/// The reason why a text cannot be imported.
public enum ImportError: Error, Hashable, CustomStringConvertible {
    /// The format of the text could not be recognized.
    case unknownFormat
    /// The text is a profile already.
    case isProfile
    /// The text describes several links, with these names.
    case several([String])
    /// The text describes no link of the given name; the array has the names of its links.
    case noSuchName(String, [String])
    /// A part of the text is not valid.
    case invalid(location: String, reason: String)

    /// The reason, on one line.
    public var description: String {
        switch self {
        case .unknownFormat: "the text is not certainly in one of the formats"
        case .isProfile: "this is a profile of linkcond already"
        case .several(let names): "it describes \(names.count) links: \(names.joined(separator: ", "))"
        case .noSuchName(let name, let names):
            "it describes no link called \"\(name)\"; there are: \(names.joined(separator: ", "))"
        case .invalid(let location, let reason): location.isEmpty ? reason : "\(location): \(reason)"
        }
    }
}

extension ImportedProfile {
    /// Reads a profile from the text of another tool.
    ///
    /// - Parameters:
    ///   - text: the content of the file.
    ///   - format: the format of the text; nil to recognise it.
    ///   - name: the name of the link to choose from several, or the profile's name if the text has none.
    ///   - file: the path of the text's file, for a profile that refers to the file as a recording; nil if there is
    ///     none.
    public static func read(
        _ text: String,
        format: ImportFormat? = nil,
        name: String? = nil,
        file: String? = nil
    ) throws(ImportError) -> ImportedProfile {
        // Some editors write a byte order mark.
        let text = text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
        let recognised = format == nil ? try ImportFormat.recognised(in: text) : nil
        guard let format = format ?? recognised else { throw .unknownFormat }
        let context = ImportContext(text: text, name: name, file: file, format: format)
        var draft: ImportedDraft
        switch format {
        case .nlc: draft = try NLCFormat.read(context)
        case .tcconfig: draft = try TcconfigFormat.read(context)
        case .atc: draft = try ATCFormat.read(context)
        case .webpagetest: draft = try WebPageTestFormat.read(context)
        case .comcast: draft = try ComcastFormat.read(context)
        case .throttle: draft = try ThrottleFormat.read(context)
        case .devtools: draft = try DevToolsFormat.read(context)
        case .toxiproxy: draft = try ToxiproxyFormat.read(context)
        case .tc: draft = try TcFormat.read(context)
        case .mahimahi: draft = try MahimahiFormat.read(context)
        }
        return ImportedProfile(profile: try draft.finished(), format: format, remarks: draft.remarks)
    }
}

/// The input of each format's reader.
struct ImportContext {
    let text: String
    let name: String?
    let file: String?
    let format: ImportFormat

    /// The name for a profile whose text has none: the name that the user gives, or the name of the file.
    var fallbackName: String {
        let stem = file.flatMap { $0.split(separator: "/").last?.split(separator: ".").first }
        return name ?? stem.map(String.init) ?? "From \(format.rawValue)"
    }

    /// Parses the text as JSON.
    func json() throws(ImportError) -> Node {
        do throws(MalformedJSON) {
            return Node(json: try JSON(utf8: text.utf8))
        } catch {
            throw .invalid(
                location: "\(error.position.line):\(error.position.column)",
                reason: "not JSON: \(error.reason)"
            )
        }
    }

    /// The link that `name` selects, or the only link; throws if there is no such link, or if there are several.
    func choice<Link>(of links: [(name: String, link: Link)]) throws(ImportError) -> (name: String, link: Link) {
        let names = links.map(\.name)
        if let name {
            let wanted = Profile.normalized(name)
            guard
                let found = links.first(where: { $0.name == name })
                    ?? links.first(where: { Profile.normalized($0.name) == wanted })
            else { throw .noSuchName(name, names) }
            return found
        }
        guard links.count == 1 else { throw .several(names) }
        return links[0]
    }
}
