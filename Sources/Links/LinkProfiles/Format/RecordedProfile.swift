// SPDX-License-Identifier: Apache-2.0

/// A profile with the recordings (traces) that it refers to, for sending to a process that does not read their files.
///
/// Its JSON is the profile's object with an added member `recordings`, which maps each file's name to the file's text.
public struct RecordedProfile: Hashable, Sendable {
    /// The profile.
    public var profile: Profile
    /// The recordings that are sent. The receiver must have any others that the profile refers to.
    public var recordings: Recordings

    private static let key = "recordings"

    /// Makes a message of the profile and the given recordings; leaves out recordings that the profile does not refer
    /// to.
    public init(_ profile: Profile, _ recordings: Recordings = [:]) {
        self.profile = profile
        let names = Set(profile.traceReferences)
        self.recordings = recordings.filter { names.contains($0.key) }
    }

    /// Reads a message; the member `recordings` is optional.
    ///
    /// - Throws: `InvalidProfile` with every mistake in the profile; if the profile is valid, every mistake in the
    ///   recordings.
    public init(json: JSON) throws(InvalidProfile) {
        let members = json.members.filter { $0.name != Self.key }
        let isObject = if case .object = json.value { true } else { false }
        self.init(try Profile(json: isObject ? JSON(.object(members), at: json.position) : json))
        guard let files = json[Self.key] else { return }
        let node = Node(json: files, path: JSONPath.root.appending(Self.key))
        var reader = NodeReader()
        let known = profile.traceReferences.map(\.file)
        guard reader.isObject(node, keys: known, what: "an object of files that the profile names, with their texts")
        else { throw InvalidProfile(issues: reader.issues) }
        for reference in profile.traceReferences {
            guard let file = node[reference.file], let text = reader.string(file) else { continue }
            do throws(Trace.Malformed) {
                recordings[reference] = try Trace(text, format: reference.format)
            } catch {
                reader.report(error.description, at: file)
            }
        }
        guard reader.issues.isEmpty else { throw InvalidProfile(issues: reader.issues) }
    }

    /// The message as JSON.
    public var json: JSON {
        guard !recordings.isEmpty else { return profile.json }
        let texts = recordings.map { ($0.key.file, $0.value.text.json) }
        let files = Dictionary(texts, uniquingKeysWith: { first, _ in first }).sorted { $0.key < $1.key }
        return profile.json.replacing(Self.key, JSON(members: files.map { ($0.key, $0.value) }))
    }
}
