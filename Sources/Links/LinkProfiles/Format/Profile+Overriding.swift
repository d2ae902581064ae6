// SPDX-License-Identifier: Apache-2.0

extension Profile {
    /// Returns the profile with these figures instead of its own; validates the whole profile.
    package func overriding(_ figures: [(key: String, text: String)]) throws(InvalidProfile) -> Profile {
        var json = json
        for (key, text) in figures {
            json = json.replacing(key, FigureList.overriding(json[key], by: try FigureList.json(text)))
        }
        return try Profile(json: json)
    }
}
