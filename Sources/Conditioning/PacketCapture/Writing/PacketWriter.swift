// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets

/// Encodes and shows the packets of a ring. A struct, so that a block of packets is added with one access.
struct PacketWriter {
    private let options: CaptureSession.Options
    private let show: ((CapturedPacket, CapturedInterface) -> Void)?
    private var interfaces: CapturedInterfaces
    private var names = CapturedNames()
    /// The encoder, with the packets that are not written yet.
    var encoder: PcapngEncoder
    private(set) var packets: UInt64 = 0
    /// The number of packets of each interface in the current file.
    private(set) var counts: [UInt64] = []

    init(
        _ options: CaptureSession.Options,
        _ interfaces: CapturedInterfaces,
        show: ((CapturedPacket, CapturedInterface) -> Void)?
    ) {
        self.options = options
        self.interfaces = interfaces
        self.show = show
        encoder = CaptureFiles.encoder(comments: options.comments)
    }

    /// Whether the largest number of packets has been reached.
    var isFull: Bool { options.count.map { packets >= $0 } ?? false }

    /// Encodes and shows a packet, or the wire packets of a super-packet.
    mutating func add(_ packet: borrowing RingPacket) {
        guard !isFull else { return }
        let number = interfaces.number(of: packet.interface, hardware: packet.hardware, &encoder)
        while counts.count < interfaces.count { counts.append(0) }
        let isWhole = packet.segmentSize == 0 || options.keepsSuperPackets
        let mayBeAnswer = packet.isTagged || names.mayBeAnswer(packet.bytes)
        let (time, direction) = (packet.time, interfaces.direction(number) ?? packet.direction)
        guard show != nil || !isWhole || mayBeAnswer else {
            encoder.add(packet.bytes, length: packet.length, interface: number, time: time, direction: direction)
            return count(number)
        }
        let (bytes, length) = packet.taggedBytes
        let type = interfaces.interface(number).linkType
        let size = isWhole ? 0 : packet.segmentSize
        SuperPacket.forEachWirePacket(of: bytes, length: length, segmentSize: size, type) { bytes, length in
            guard !isFull else { return }
            count(number)
            guard show != nil || mayBeAnswer else {
                return bytes.withUnsafeBytes {
                    encoder.add($0, length: length, interface: number, time: time, direction: direction)
                }
            }
            var part = CapturedPacket(interface: number, time: time, bytes: copy bytes)
            part.length = length
            part.direction = direction
            if mayBeAnswer, let found = names.newNames(in: bytes, type, length: length) { encoder.add(names: found) }
            encoder.add(part)
            show?(part, interfaces.interface(number))
        }
    }

    private mutating func count(_ interface: Int) {
        packets += 1
        counts[interface] += 1
    }

    /// Starts a new file.
    mutating func beginFile() {
        interfaces.reset()
        counts = []
        encoder = CaptureFiles.encoder(comments: options.comments)
    }
}
