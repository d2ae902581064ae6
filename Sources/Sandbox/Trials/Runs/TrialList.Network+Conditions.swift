// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
package import ProfileCatalog
package import Reports

extension TrialList.Network {
    /// Makes a network whose digest is that of profiles and their recordings, and of what else the conditions have.
    ///
    /// It is made from what files say, and not from requests, which have paths and addresses of this machine.
    package init(_ name: String, directory: String = "", _ profiles: [LoadedProfile], _ others: [String] = []) throws {
        let texts = try profiles.map { RecordedProfile($0.profile, try $0.recordings()).json.line }
        let digest = SHA256.text(of: Array((texts + others).joined(separator: "\n").utf8))
        self.init(name: name, directory: directory, digest: digest)
    }

    /// The network with other profiles for parts of its traffic; unchanged for nil.
    package func with(_ rules: LoadedRules?) throws -> Self {
        guard let rules else { return self }
        return try Self(name, directory: directory, rules.rules.map(\.profile), [digest] + rules.selectors)
    }
}

extension LoadedRules {
    /// The selectors of each rule, as text.
    package var selectors: [String] { rules.map { "\($0.rule.ends) \($0.rule.exclusions)" } }
}
