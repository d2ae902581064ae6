// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Mirrors: devices that show packets to any program.
struct MirrorOptions: ParsableArguments {
    @Option(
        name: .customLong("mirror"),
        help: "Show the packets on a new interface of this name, to any program, until its source ends."
    )
    var name: String?

    @Flag(name: .long, help: "List the mirrors of this network.")
    var list = false

    @Option(name: .customLong("stop"), help: "End this mirror.")
    var stopped: String?

    @Flag(name: .long, help: "With --list and --summary: print JSON.")
    var json = false

    mutating func validate() throws {
        guard [name != nil, list, stopped != nil].count(where: \.self) < 2 else {
            throw ValidationError("--mirror, --list and --stop cannot be combined.")
        }
    }

    /// Whether the command is about mirrors.
    var isUsed: Bool { name != nil || list || stopped != nil }
}
