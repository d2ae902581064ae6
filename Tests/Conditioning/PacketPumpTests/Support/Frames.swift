// SPDX-License-Identifier: Apache-2.0

@testable import PacketPump

func big(_ value: Int, _ bytes: Int) -> [UInt8] {
    (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}

/// RFC 1071, word by word: 0 for bytes with a correct checksum.
func naiveChecksum(_ bytes: [UInt8]) -> UInt16 {
    var sum = 0
    for index in stride(from: 0, to: bytes.count, by: 2) {
        sum += Int(bytes[index]) << 8 | (index + 1 < bytes.count ? Int(bytes[index + 1]) : 0)
        if sum > 0xFFFF { sum -= 0xFFFF }
    }
    return ~UInt16(sum)
}

/// A frame to test with, and its properties.
struct TestFrame {
    var isIPv6 = false
    var isTCP = true
    var source: [UInt8] = [10, 0, 0, 1]
    var destination: [UInt8] = [10, 0, 0, 2]
    var sourcePort = 40_000
    var destinationPort = 80
    var identification = 0x1234
    var flags: UInt8 = 0x18
    var sequence = 0xFFFF_FF00
    var acknowledgement = 77
    var trafficClass: UInt8 = 2
    var tags = 0
    var payload: [UInt8] = []

    static func pattern(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) } }

    var addresses: [UInt8] {
        isIPv6 && source.count == 4 ? pad(source) + pad(destination) : source + destination
    }

    private func pad(_ address: [UInt8]) -> [UInt8] { [0xFD] + [UInt8](repeating: 0, count: 11) + address }

    var networkOffset: Int { 14 + 4 * tags }
    var transportOffset: Int { networkOffset + (isIPv6 ? 40 : 20) }
    /// TCP with 12 bytes of options, as Linux sends it.
    var headerLength: Int { isTCP ? 32 : 8 }
    var payloadOffset: Int { transportOffset + headerLength }

    /// The sum of the pseudo-header, not complemented, as a sender leaves it in the checksum field.
    func pseudoSum(_ length: Int) -> Int {
        Int(~naiveChecksum(addresses + big(isTCP ? 6 : 17, 2) + big(length, 4)))
    }

    /// The frame as a sender with offloads passes it to the device.
    var bytes: [UInt8] {
        let length = headerLength + payload.count
        var result = [UInt8](repeating: 2, count: 12)
        for _ in 0..<tags { result += [0x81, 0, 0, 7] }
        result += isIPv6 ? [0x86, 0xDD] : [8, 0]
        if isIPv6 {
            result +=
                [0x60 | trafficClass >> 4, trafficClass << 4, 0, 0] + big(length, 2) + [isTCP ? 6 : 17, 64] + addresses
        } else {
            var header =
                [0x45, trafficClass] + big(20 + length, 2) + big(identification, 2) + [0x40, 0, 64, isTCP ? 6 : 17]
            header += [0, 0] + addresses
            header.replaceSubrange(10..<12, with: big(Int(naiveChecksum(header)), 2))
            result += header
        }
        result += big(sourcePort, 2) + big(destinationPort, 2)
        if isTCP {
            result +=
                big(sequence, 4) + big(acknowledgement, 4) + [0x80, flags] + big(500, 2) + big(pseudoSum(length), 2) + [
                    0, 0,
                ]
            result += [1, 1, 8, 10, 0, 0, 0, 5, 0, 0, 0, 6]
        } else {
            result += big(length, 2) + big(pseudoSum(length), 2)
        }
        return result + payload
    }

    /// The virtio-net header that goes with it.
    func virtio(segmentSize: Int = 0) -> VirtioHeader {
        var header = VirtioHeader()
        header.flags = VirtioHeader.needsChecksum
        header.checksumStart = UInt16(transportOffset)
        header.checksumOffset = isTCP ? 16 : 6
        guard segmentSize > 0 else { return header }
        let kind: VirtioHeader.Segmentation = isTCP ? (isIPv6 ? .tcp6 : .tcp4) : .udp
        header.type = kind.rawValue | (isTCP && flags & 0x80 != 0 ? VirtioHeader.explicitCongestion : 0)
        header.segmentSize = UInt16(segmentSize)
        header.headerLength = UInt16(payloadOffset)
        return header
    }

    /// Its wire packets with checksums, by RFC 791, 8200, 9293 and 768.
    func wirePackets(segmentSize: Int) -> [[UInt8]] {
        stride(from: 0, to: max(payload.count, 1), by: segmentSize).enumerated().map { index, start in
            var part = self
            let end = min(start + segmentSize, payload.count)
            part.payload = Array(payload[start..<end])
            part.identification = (identification + index) & 0xFFFF
            part.sequence = (sequence + start) & 0xFFFF_FFFF
            if end < payload.count { part.flags &= ~0x09 }
            if index > 0 { part.flags &= ~0x80 }
            return part.finished
        }
    }

    /// The frame with its transport checksum.
    var finished: [UInt8] { completed(bytes, self) }
}

/// Completes the transport checksum of a frame whose layout is that of `frame`.
func completed(_ bytes: [UInt8], _ frame: TestFrame) -> [UInt8] {
    var result = bytes
    let field = frame.transportOffset + (frame.isTCP ? 16 : 6)
    let sum = naiveChecksum(Array(result[frame.transportOffset...]))
    result.replaceSubrange(field..<field + 2, with: big(Int(sum == 0 && !frame.isTCP ? 0xFFFF : sum), 2))
    return result
}

/// A frame in a block, as the pump would have read it.
final class Stored {
    let frame: StoredFrame
    private let block: UnsafeMutableRawPointer

    init(_ bytes: [UInt8], _ header: VirtioHeader) {
        block = .allocate(byteCount: FramePool.largestBlock, alignment: 128)
        frame = StoredFrame(block)
        frame.header.storeBytes(of: header, as: VirtioHeader.self)
        bytes.withUnsafeBytes {
            frame.bytes.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(block), byteCount: $0.count)
        }
        frame.describe(count: bytes.count + VirtioHeader.size, input: 0)
    }

    deinit { block.deallocate() }

    // The block is freed with this object, which must outlive the frame.
    var segments: Int { frame.record.pointee.segments }
    var wireBytes: Int { frame.wireBytes }
    func countedBytes(_ segment: Int) -> Int { frame.countedBytes(segment) }

    /// The bytes that the pump writes.
    func written(
        _ first: Int,
        _ count: Int,
        _ changes: FrameWriter.Changes = .none
    ) -> (header: VirtioHeader, bytes: [UInt8]) {
        let writer = FrameWriter()
        let (head, tail) = writer.pieces(of: FramePart(frame: frame, first: first, count: count), changes)
        let all = Array(head) + Array(tail)
        return (
            all.withUnsafeBytes { $0.loadUnaligned(as: VirtioHeader.self) },
            Array(all.dropFirst(10))
        )
    }
}

func layout(_ bytes: [UInt8]) -> FrameLayout { bytes.withUnsafeBytes { FrameLayout($0) } }
