// SPDX-License-Identifier: Apache-2.0

extension CommandName {
    /// The options that `-h` explains; empty for all, of commands that have few.
    var mainOptions: [String] {
        switch self {
        case .run:
            [
                "--delay", "--rate", "--loss", "--scenario", "--offline", "--host-port", "--expect", "--report",
                "--timeout", "--pane", "--interface",
            ]
        case .matrix:
            [
                "--broken", "--repeat", "--expect", "--report", "--strict", "--timeout", "--jobs", "--offline",
                "--host-port", "--seed", "--shard", "--json",
            ]
        case .limits:
            [
                "--vary", "--budget", "--jobs", "--expect", "--report", "--timeout", "--offline", "--host-port",
                "--seed", "--json",
            ]
        case .explore:
            [
                "--expect", "--budget", "--first", "--only", "--without", "--also-status", "--timeout", "--write",
                "--offline", "--seed",
            ]
        case .apply:
            [
                "--interface", "--delay", "--rate", "--loss", "--to", "--port", "--exclude", "--for", "--confirm",
                "--container",
            ]
        case .switch:
            ["--interface", "--delay", "--rate", "--loss", "--downlink", "--uplink", "--rule", "--to", "--container"]
        case .monitor:
            ["--once", "--wait", "--for", "--interval", "--timeout", "--anchor", "--json", "--metrics", "--container"]
        case .capture:
            [
                "--interface", "--write", "--read", "--summary", "--print", "--filter", "--count", "--for", "--mirror",
                "--container",
            ]
        case .verify:
            [
                "--delay", "--rate", "--loss", "--budget", "--over-uplink", "--peer", "--interface", "--report",
                "--strict", "--json",
            ]
        case .simulate:
            [
                "--delay", "--rate", "--loss", "--downlink", "--uplink", "--competing", "--load", "--for", "--capture",
                "--seed", "--json",
            ]
        case .show:
            ["--json", "--tc", "--interface", "--delay", "--rate", "--loss", "--downlink", "--uplink"]
        case .export:
            ["--to", "--interface", "--delay", "--rate", "--loss", "--downlink", "--uplink"]
        case .new: ["--from", "--delay", "--rate", "--loss", "--downlink", "--uplink", "--dns", "--competing"]
        case .status: ["--interface", "--json", "--watch", "--netns", "--pid", "--container"]
        case .reset: ["--interface", "--rule", "--all", "--now", "--netns", "--pid", "--container"]
        case .off, .on, .confirm: ["--interface", "--netns", "--pid", "--container"]
        default: []
        }
    }
}
