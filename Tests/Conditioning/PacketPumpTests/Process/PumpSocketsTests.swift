// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinkProfiles
import LinkRules
import LinuxSystem
import TestKit
import Testing

@testable import PacketPump

/// The sockets of the pumps on an interface of the host. Loopback stands for a TAP device.
@Suite struct PumpSocketsTests {
    private let directory: TemporaryDirectory
    private let sockets: PumpSockets
    private let index = CInt(clamping: if_nametoindex("lo"))

    init() throws {
        directory = try TemporaryDirectory()
        sockets = PumpSockets(in: directory.path, stem: "cookie1-2")
    }

    private var names: [String] { DirectoryListing.names(in: directory.path).sorted() }

    @Test func areForTheirUserAlone() throws {
        let listener = try sockets.listen(for: "lo", index)
        defer { close(listener) }
        var facts = stat()
        try #require(stat("\(directory.path)/\(names[0])", &facts) == 0)
        #expect(facts.st_mode & 0o777 == 0o600)
        try sockets.connect(to: "lo").close()
    }

    @Test func mayHaveALongPath() throws {
        let long = "\(directory.path)/" + String(repeating: "d", count: 200)
        try #require(mkdir(long, 0o700) == 0)
        let sockets = PumpSockets(in: long, stem: "cookie1-2")
        let listener = try sockets.listen(for: "lo", index)
        defer { close(listener) }
        try sockets.connect(to: "lo").close()
    }

    /// A killed pump leaves its file, and so does one whose device was deleted while it was frozen.
    @Test func goOnceTheirDeviceIsGone() throws {
        let listeners = try [("lo", index), ("lo", index + 1000), ("lc9r1u", 7)].map {
            try sockets.listen(for: $0.0, $0.1)
        }
        defer { listeners.forEach { close($0) } }
        let other = try PumpSockets(in: directory.path, stem: "cookie1-3").listen(for: "lc9r1u", 7)
        defer { close(other) }
        sockets.removeUnused()
        #expect(names == ["cookie1-2.lo.\(index).pump", "cookie1-3.lc9r1u.7.pump"])
    }

    @Test func haveNoPumpWhereNobodyListens() throws {
        close(try sockets.listen(for: "lo", index))
        #expect(throws: PumpFailure.gone) { try sockets.connect(to: "lo") }
        #expect(throws: PumpFailure.gone) { try sockets.connect(to: "lc9r1u") }
    }

    /// One that sends a byte now and then keeps nobody waiting.
    @Test func areServedWhileAClientIsSlow() throws {
        let (slow, slowEnd) = try MessageChannel.pair()
        let (quick, quickEnd) = try MessageChannel.pair()
        var clients = [WaitingClient(slowEnd, since: .zero), WaitingClient(quickEnd, since: .zero)]
        _ = send(slow.descriptor, [9], 1, 0)
        let request = ClientRequest(tap: "lo", task: .report)
        quick.send(request.json)
        guard case .waits = clients[0].receive(at: .seconds(9)) else { Issue.record("it has sent one byte"); return }
        guard case .has(let message) = clients[1].receive(at: .seconds(9)) else {
            Issue.record("it has sent all"); return
        }
        #expect(ClientRequest(json: message) == request)
        // Its time is for the whole message, not for each byte.
        _ = send(slow.descriptor, [0], 1, 0)
        guard case .isGone = clients[0].receive(at: .seconds(10)) else { Issue.record("its time is over"); return }
        for channel in [slow, slowEnd, quick, quickEnd] { channel.close() }
    }

    @Test(arguments: [[255, 255, 255, 255, 1], [1, 0, 0, 0, 0x7B], [1, 0, 0, 0, 0x37, 0x37]] as [[UInt8]])
    func hangUpOnNonsense(bytes: [UInt8]) throws {
        let (near, far) = try MessageChannel.pair()
        defer { near.close(); far.close() }
        var client = WaitingClient(far, since: .zero)
        _ = send(near.descriptor, bytes, bytes.count, 0)
        guard case .isGone = client.receive(at: .zero) else { Issue.record("it is no message"); return }
    }
}
