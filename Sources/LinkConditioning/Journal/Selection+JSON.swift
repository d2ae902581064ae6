// SPDX-License-Identifier: Apache-2.0

extension Selection: JSONReadable {
    package init?(json: JSON) {
        guard let text = String(json: json) else { return nil }
        self.init(text)
    }
}
