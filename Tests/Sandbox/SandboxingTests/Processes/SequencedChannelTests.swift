// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Testing

@Suite struct SequencedChannelTests {
    private let (near, far): (SequencedChannel, SequencedChannel)

    init() throws { (near, far) = try SequencedChannel.pair() }

    private func receive(_ room: Int = 16) -> (bytes: [UInt8], reception: SequencedChannel.Reception) {
        var bytes = [UInt8](repeating: 0, count: room)
        let reception = bytes.withUnsafeMutableBytes { far.receive(into: $0) }
        return (Array(bytes.prefix(max(0, reception.count))), reception)
    }

    @Test func keepsMessagesApartAndTheirDescriptors() throws {
        let pipe = try Descriptors.pipe()
        #expect(near.send([1, 2]) == 0 && near.send([3], with: pipe.read) == 0 && near.send([4, 5, 6]) == 0)
        let first = receive()
        #expect(first.bytes == [1, 2] && first.reception.descriptor == -1)
        let second = receive()
        #expect(second.bytes == [3])
        #expect(FileIdentity(descriptor: second.reception.descriptor) == FileIdentity(descriptor: pipe.read))
        // The rest of a message that is too long is lost.
        #expect(receive(2).bytes == [4, 5])
        near.close()
        #expect(receive().reception.count == 0)
        for descriptor in [pipe.read, pipe.write, second.reception.descriptor] { close(descriptor) }
        far.close()
    }

    @Test func tellsNothingYetFromTheEnd() {
        far.stopWaiting()
        #expect(receive().reception.isNothingYet)
        near.end()
        let reception = receive().reception
        #expect(reception.count == 0 && !reception.isNothingYet)
        #expect(far.send([1]) == -EPIPE)
        near.close()
        far.close()
    }
}
