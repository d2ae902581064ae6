// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc

extension Linkcond {
    struct Capture: ParsableCommand {
        static let configuration = CommandConfiguration(
            .capture,
            abstract: "Write packets to a file for Wireshark, or print them.",
            discussion: """
                Captures on one interface, or on all of the network, until it is interrupted. Super-packets, which Linux \
                hands to network cards, are shown as the packets that they are on the wire. With -r it prints a file, \
                and says what the link did to each packet where the file tells; with --summary, what the \
                clients did. With --mirror, any other program \
                can watch the packets.
                """,
            examples: "capture -i eth0 -w packets.pcapng",
            "capture -r report/packets.pcapng --summary"
        )

        @Option(name: .interface, help: ArgumentHelp("The interface. Default: all.", valueName: "DEV"))
        var interface: String?

        @Option(
            name: [.customShort("w"), .customLong("write")],
            help: ArgumentHelp("Write pcapng to this file; - for a pipe.", valueName: "FILE")
        )
        var output: String?

        @Option(
            name: [.customShort("r"), .customLong("read")],
            help: ArgumentHelp("Print the packets of this file; - for a pipe.", valueName: "FILE")
        )
        var input: String?

        @Option(
            name: .long,
            help: ArgumentHelp("Only packets that match this expression (man pcap-filter).", valueName: "FILTER")
        )
        var filter: String?

        @Flag(name: .long, help: "Print a line for each packet. Default without -w.")
        var print = false

        @Flag(name: .long, help: "With -r: print what each client did, a line for each connection, query and request.")
        var summary = false

        @OptionGroup var style: PacketLineOptions
        @OptionGroup var limits: CaptureLimitOptions
        @OptionGroup var mirror: MirrorOptions
        @OptionGroup(title: "Interface") var namespace: NamespaceOptions

        func validate() throws {
            guard input == nil || interface == nil && output == nil && filter == nil && namespace.isOwn else {
                throw ValidationError(
                    "-r reads a file; it cannot be combined with -i, -w, --filter, --netns, --pid or --container."
                )
            }
            guard input == nil || limits.isForReading else {
                throw ValidationError("-r prints a file as it is; of the limits it takes only -c.")
            }
            guard output != "-" || !print else { throw ValidationError("-w - and --print both need standard output.") }
            guard output != "-" || isatty(STDOUT_FILENO) == 0 else {
                throw ValidationError("-w - writes binary data, which is not for a terminal.")
            }
            guard limits.rotation == nil || output != nil && output != "-" else {
                throw ValidationError("--rotate-size and --rotate-time need -w FILE.")
            }
            guard !summary || input != nil && !style.isUsed && limits.count == nil else {
                throw ValidationError("--summary tells of a whole file: it needs -r, and takes no -c or -ntqAx.")
            }
            guard !mirror.json || mirror.list || summary else {
                throw ValidationError("--json needs --list or --summary.")
            }
            try validateMirror()
        }

        private func validateMirror() throws {
            guard mirror.isUsed else { return }
            guard input == nil, output == nil, filter == nil, !print, !style.isUsed else {
                throw ValidationError(
                    "--mirror, --list and --stop neither write nor print packets: no -r, -w, --filter, --print or -ntqAx."
                )
            }
            guard !limits.endsByItself else {
                throw ValidationError("A mirror shows all packets, whole, until its source ends: no -s, -c or --for.")
            }
            guard mirror.name != nil || interface == nil && namespace.isOwn && !limits.keepsSuperPackets else {
                throw ValidationError(
                    "--list and --stop go by name: no -i, --netns, --pid, --container or --super-packets."
                )
            }
        }

        func run() throws {
            if summary, let input { return try TrafficSummary.printFile(input, asJSON: mirror.json) }
            if let input { return try PacketLine.printFile(input, style, count: limits.count) }
            if mirror.isUsed { return try runMirror() }
            try runLive()
        }
    }
}
