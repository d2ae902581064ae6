// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles

/// The name of an ifb that gets a copy of packets as they enter a lane of the kernel, so that a capture can compare them
/// with those that leave it; or of those that go through no lane.
///
/// The kernel shows packets to captures only after the qdiscs of the device that sends them. An ifb drops what was not
/// redirected to it, but shows it before.
public struct EntryDevice: Hashable, Sendable {
    /// The packets whose copies it gets.
    public enum Packets: Hashable, Sendable {
        /// Those of a lane.
        case lane(Lane)
        /// Those that the conditioned device sends through no lane.
        case sent
        /// Those that it receives through no lane.
        case received

        fileprivate var letter: Character {
            switch self {
            case .lane(let lane): lane.letter
            case .sent: "s"
            case .received: "a"
            }
        }

        fileprivate static let all: [Packets] = Lane.allCases.map { .lane($0) } + [.sent, .received]
    }

    /// The index of the conditioned device.
    public var deviceIndex: Int32
    /// The packets whose copies it gets.
    public var packets: Packets

    private static let prefix = "lce"

    /// Names a device.
    public init(deviceIndex: Int32, _ packets: Packets) {
        self.deviceIndex = deviceIndex
        self.packets = packets
    }

    /// Reads a name; nil for a name of another pattern.
    public init?(_ text: String) {
        guard text.hasPrefix(Self.prefix), let packets = Packets.all.first(where: { $0.letter == text.last }),
            let index = Int32(text.dropFirst(Self.prefix.count).dropLast()), index > 0
        else { return nil }
        self.init(deviceIndex: index, packets)
        // Rejects leading zeros and signs.
        guard description == text else { return nil }
    }
}

extension EntryDevice: CustomStringConvertible {
    /// The device's name.
    public var description: String { "\(Self.prefix)\(deviceIndex)\(packets.letter)" }
}
