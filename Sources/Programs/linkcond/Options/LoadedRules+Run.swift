// SPDX-License-Identifier: Apache-2.0

import LinkConditioning
import ProfileCatalog

extension LoadedRules {
    /// The requests for the rules in a sandbox. Throws if two select the same traffic, or a rule selects that of
    /// `base`.
    func requests(
        beside base: Selection,
        makeRequest: (LoadedProfile, Selection) throws -> RuleRequest
    ) throws -> [RuleRequest] {
        var names = RemoteNames()
        var requests: [RuleRequest] = []
        for (rule, loaded) in rules {
            let selection = try names.selection(rule)
            guard selection != base, !requests.contains(where: { $0.selection == selection }) else {
                throw problem("another rule is for the same \(selection.words)", with: rule)
            }
            requests.append(try makeRequest(loaded, selection))
        }
        return requests
    }
}
