// SPDX-License-Identifier: Apache-2.0

// condition apply INTERFACE ENGINE | status INTERFACE | remove INTERFACE | recover
//
// What a program that conditions an interface by the library does, step by step.

import Glibc
import LinkConditioning

/// The profile, in the words of a profile file.
let slowNet = """
    {
      "name": "Slow Net",
      "downlink": { "rate": "32 kbit/s", "delay": "100 ms" },
      "uplink": { "rate": "32 kbit/s", "delay": "100 ms" }
    }
    """

func perform(_ arguments: [String]) throws {
    let conditioner = try InterfaceConditioner(command: "library-user") { print("note: \($0)") }
    switch (arguments.first, arguments.count) {
    case ("apply", 3):
        let profile = try Profile(json: JSON(utf8: Array(slowNet.utf8)))
        try conditioner.apply(RuleRequest(profile: profile, engine: Engine(rawValue: arguments[2])), on: arguments[1])
    case ("status", 2):
        for rule in try conditioner.status(arguments[1]).devices.flatMap(\.rules) {
            print("\(rule.profile ?? "?") \(rule.engine)")
        }
    case ("remove", 2):
        try conditioner.remove(from: arguments[1])
    case ("recover", 1):
        conditioner.recover().forEach { print($0) }
    default:
        print("usage: condition apply INTERFACE ENGINE | status INTERFACE | remove INTERFACE | recover")
        exit(64)
    }
}

do {
    try perform(Array(CommandLine.arguments.dropFirst()))
} catch {
    print("\(error)")
    exit(1)
}
