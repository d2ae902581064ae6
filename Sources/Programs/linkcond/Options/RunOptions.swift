// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Reachability
import Sandboxing

/// The conditions of `run` that come from files, and several uplinks.
struct RunLinkOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            """
            Change the conditions while the command runs, as this file says, or a built-in scenario such as \
            "NAT Rebinding"; "-" is standard input. FILE.tar is an archive that a pane has saved.
            """,
            valueName: "SCENARIO"
        )
    )
    var scenario: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            """
            Several uplinks at once, each with an interface and a profile of its own, such as wifi0=LTE; repeatable, \
            the preferred one first. PROFILE is loopback's then.
            """,
            valueName: "DEV=PROFILE"
        ),
        transform: PathOption.init
    )
    var path: [PathOption] = []

    @OptionGroup(title: "Link") private var parts: RulesOptions

    var rules: String? { parts.rules }
}

/// The rules of a private network.
struct RulesOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Other profiles for parts of the traffic, as this file lists them; \"-\" is standard input.",
            valueName: "FILE"
        )
    )
    var rules: String?
}

struct RunInterfaceOptions: ParsableArguments {
    @Option(
        name: .interface,
        help: ArgumentHelp(
            "Condition this interface while the command runs, instead of a private network.",
            valueName: "DEV"
        )
    )
    var interface: String?
}

/// How long and how often `run` runs its command, and what it watches meanwhile.
struct RunCourseOptions: ParsableArguments {
    @OptionGroup(title: "Judge") private var time: TimeoutOptions

    @Option(
        name: .customLong("repeat"),
        help: ArgumentHelp("Run the command this many times, with one seed after the other.", valueName: "N")
    )
    var repetitions: Int?

    @Option(
        name: .long,
        help: ArgumentHelp("Run this many at the same time, with --repeat. Default: 1.", valueName: "N")
    )
    var jobs: Int?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Monitor this target from inside and print a summary after the command's output; repeatable.",
            valueName: "TARGET"
        ),
        transform: { try MonitorOptions.target($0) }
    )
    var monitor: [Target] = []

    @OptionGroup(title: "Judge") var shards: ShardOptions

    var timeout: Duration? { time.timeout }
}

struct ProgressOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            """
            Where to show the progress if standard error is a terminal: its title, a line, none. Default: title \
            with --scenario, --expect, --report or --observe, else none.
            """,
            valueName: "PLACE"
        )
    )
    var progress: RunDisplay.Place?
}

struct PaneOptions: ParsableArguments {
    @Flag(name: .long, help: "Show the run in a browser while the command runs, as \"linkcond pane\" does.")
    var pane = false
}

struct RareRunOptions: ParsableArguments {
    @OptionGroup(title: "Rare") private var account: UserOptions

    @Flag(name: .long, help: "Keep the processes that the command leaves running.")
    var keepChildren = false

    var user: String? { account.user }
}
