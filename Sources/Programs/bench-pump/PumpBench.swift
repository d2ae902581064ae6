// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinkProfiles
import LinkRules
import PacketCapture
import PacketPump

/// Runs a pump on one TAP device in the current network namespace, for scripts/bench/pump:
///
///     bench-pump DEVICE loopback|leaving|arriving [ADDRESS [LOG [CAPTURE]]]
///
/// For ADDRESS and LOG, `-` means none. Prints a line when the device exists. Then reads commands from standard input,
/// one per line: `counters` prints the counters, and a profile in JSON replaces the current one. Exits at the end of
/// the input.
@main struct PumpBench {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3, let traffic = Traffic(rawValue: arguments[2]) else {
            tell("usage: bench-pump DEVICE loopback|leaving|arriving [ADDRESS [LOG [CAPTURE]]]")
            exit(64)
        }
        let address = arguments.count > 3 ? arguments[3].split(separator: ":").compactMap { UInt8($0, radix: 16) } : []
        let device = try TapDevice(name: arguments[1], address: address.count == 6 ? address : nil)
        let inputs = [PumpInput(device, traffic)]
        let log = try file(4).map { try PacketLog(descriptor: $0, device: device.name) }
        let capture = file(5).map { PumpCapture(descriptor: $0, keyLog: nil) }
        let recorder = capture.flatMap { PacketRecorder($0.limits) }
        let pump = try PacketPump(inputs, PumpConditions(), PumpConfiguration(), log: log, recorder: recorder)
        if let recorder { capture?.add(recorder, of: device.name, inputs: inputs) }
        tell("ready \(device.name)")
        while let line = readLine() {
            if line == "counters" {
                tell(text(pump.counters.read()))
            } else {
                pump.use(PumpConditions(try Profile(utf8: line.utf8)))
                tell("changed")
            }
        }
        pump.stop()
        log?.finish()
        if let problem = capture?.finish() { tell(problem) }
    }

    /// Creates the file that the argument at `index` names, and opens it; nil if there is no such argument, or it is
    /// `-`.
    private static func file(_ index: Int) -> CInt? {
        guard CommandLine.arguments.count > index, CommandLine.arguments[index] != "-" else { return nil }
        return open(CommandLine.arguments[index], O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    }

    private static func tell(_ line: String) {
        print(line)
        fflush(nil)
    }

    private static func text(_ reading: CounterPage.Reading) -> String {
        var parts = ["memory=\(reading.memory)", "untouched=\(reading.untouched)"]
        for lane in Lane.allCases {
            let counters = reading[lane]
            parts += [
                "\(lane).arrived=\(counters.arrived)", "\(lane).left=\(counters.left)",
                "\(lane).reads=\(counters.reads)", "\(lane).writes=\(counters.writes)",
                "\(lane).queued=\(counters.queued)", "\(lane).arrivedBytes=\(counters.arrivedBytes)",
                "\(lane).leftBytes=\(counters.leftBytes)",
            ]
            parts += DropReason.plain.map { "\(lane).\($0)=\(counters.drops($0))" }
        }
        return parts.joined(separator: " ")
    }
}
