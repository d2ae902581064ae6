// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ProfileCatalog

/// The profiles and scenarios of a matrix.
struct MatrixNetworks: ParsableArguments {
    @Argument(
        help: ArgumentHelp("Profiles and scenarios, by name or path, such as: 3g lte.", valueName: "PROFILE")
    )
    private var named: [String] = []

    @Option(
        name: [.customShort("p"), .customLong("profile")],
        help: ArgumentHelp("The same as PROFILE; repeatable.", valueName: "PROFILE")
    )
    private var options: [String] = []

    /// The names and paths in their order. No profile has a comma in its name, so "3G,LTE" is a list.
    var words: [String] {
        (named + options).flatMap { word in
            Catalog.isPath(word) ? [word] : word.split(separator: ",").map { String($0).trimmed }
        }
    }
}

extension String {
    /// The text without the spaces around it.
    fileprivate var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
