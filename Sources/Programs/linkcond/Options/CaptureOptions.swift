// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PacketCapture

/// The format of printed packets. The letters are those of tcpdump(8).
struct PacketLineOptions: ParsableArguments {
    @Flag(name: .customShort("n"), help: "Addresses as numbers, even where the capture has their names.")
    var isNumeric = false

    @Flag(name: .customShort("t"), help: "No time.")
    var hidesTime = false

    @Flag(name: .customShort("q"), help: "Only protocol and length.")
    var isQuiet = false

    @Flag(name: .customShort("A"), help: "The bytes of each packet as text.")
    var showsText = false

    @Flag(name: .customShort("x"), help: "The bytes of each packet as hexadecimal numbers.")
    var showsNumbers = false

    var isUsed: Bool { isNumeric || hidesTime || isQuiet || showsText || showsNumbers }
}

/// The packets that a capture keeps, and when it ends.
struct CaptureLimitOptions: ParsableArguments {
    @Option(
        name: [.customShort("s"), .customLong("snap")],
        help: ArgumentHelp("Keep this many bytes of each packet. Default: all.", valueName: "N")
    )
    var snap: UInt32?

    @Option(
        name: [.customShort("c"), .customLong("count")],
        help: ArgumentHelp("End after this many packets.", valueName: "N")
    )
    var count: UInt64?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("End after this time (\"30s\").", valueName: "TIME"),
        transform: MonitorOptions.time
    )
    var duration: Duration?

    @Flag(name: .customLong("super-packets"), help: "Keep super-packets whole.")
    var keepsSuperPackets = false

    @Option(
        name: .customLong("rotate-size"),
        help: ArgumentHelp(
            "Begin a new file, numbered before its extension, after so many bytes (\"100MB\").",
            valueName: "SIZE"
        ),
        transform: CaptureLimitOptions.size
    )
    var rotationSize: UInt64?

    @Option(
        name: .customLong("rotate-time"),
        help: ArgumentHelp("Begin a new file after this time (\"10m\").", valueName: "TIME"),
        transform: MonitorOptions.time
    )
    var rotationTime: Duration?

    @Option(name: .customLong("rotate-keep"), help: ArgumentHelp("Keep the newest files, this many.", valueName: "N"))
    var kept: Int?

    mutating func validate() throws {
        if let snap, !(1...262_144).contains(snap) { throw ValidationError("--snap is 1 to 262144 bytes.") }
        if count == 0 { throw ValidationError("--count is 1 or more.") }
        if let kept, kept < 1 { throw ValidationError("--rotate-keep is 1 or more.") }
        guard kept == nil || rotation != nil else {
            throw ValidationError("--rotate-keep needs --rotate-size or --rotate-time.")
        }
    }

    /// Whether all given options also apply to reading a file.
    var isForReading: Bool { snap == nil && duration == nil && !keepsSuperPackets && rotation == nil }

    /// Whether packets are truncated, or the capture has an end.
    var endsByItself: Bool { snap != nil || count != nil || duration != nil }

    /// When to start a new file; nil for a single file.
    var rotation: CaptureFiles.Rotation? {
        guard rotationSize != nil || rotationTime != nil else { return nil }
        var rotation = CaptureFiles.Rotation()
        (rotation.size, rotation.time, rotation.kept) = (rotationSize, rotationTime, kept)
        return rotation
    }

    private static func size(_ text: String) throws -> UInt64 {
        let units: [(String, UInt64)] = [("kB", 1000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("B", 1)]
        for (unit, factor) in units where text.hasSuffix(unit) {
            guard let number = UInt64(text.dropLast(unit.count).filter { $0 != " " }), number > 0 else { break }
            let (size, isTooLarge) = number.multipliedReportingOverflow(by: factor)
            if !isTooLarge, size >= 10_000 { return size }
        }
        throw ValidationError("'\(text)' is no size such as \"100MB\", of 10 kB at least")
    }
}

/// Mirrors: devices that show packets to any program.
struct MirrorOptions: ParsableArguments {
    @Option(
        name: .customLong("mirror"),
        help: ArgumentHelp(
            "Show the packets on a new interface of this name, to any program, until its source ends.",
            valueName: "NAME"
        )
    )
    var name: String?

    @Flag(name: .long, help: "List the mirrors of this network.")
    var list = false

    @Option(name: .customLong("stop"), help: ArgumentHelp("End this mirror.", valueName: "NAME"))
    var stopped: String?

    @Flag(name: .long, help: "With --list and --summary: print JSON.")
    var json = false

    mutating func validate() throws {
        guard [name != nil, list, stopped != nil].count(where: \.self) < 2 else {
            throw ValidationError("--mirror, --list and --stop cannot be combined.")
        }
    }

    var isUsed: Bool { name != nil || list || stopped != nil }
}
