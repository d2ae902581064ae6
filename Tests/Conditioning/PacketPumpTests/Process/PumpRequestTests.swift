// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import Glibc
import LinkProfiles
import LinuxSystem
import Netlink
import Testing

@testable import LinkRules
@testable import PacketPump

/// Requests to a pump's process, and its answers.
@Suite struct PumpRequestTests {
    private static let slowNet: Profile = {
        var link = Impairments()
        link.rate = BitRate(bitsPerSecond: 32000)
        link.delay = .milliseconds(100)
        var profile = Profile(name: "Slow Net")
        (profile.downlink, profile.uplink) = (link, link)
        profile.dns = DNSImpairment(delay: .milliseconds(200))
        return profile
    }()

    private static let recorded: RecordedProfile = {
        let drive = TraceReference(file: "/drive/up", format: .mahimahi)
        let walk = TraceReference(file: "walk", format: .secondsMbit, loop: false)
        var profile = Profile(name: "Recorded")
        var link = Impairments()
        link.trace = drive
        profile.uplink = link
        link.trace = walk
        profile.downlink = link
        let recordings = [
            drive: try? Trace("3\n3\n4294967295\n", format: .mahimahi),
            walk: try? Trace("0 0.000001\n0.000000001 12.345678\n999999999 0\n", format: .secondsMbit),
        ]
        return RecordedProfile(profile, recordings.compactMapValues(\.self))
    }()

    private static let taps = [
        Tap(name: "lc2r1u", traffic: .leaving, mtu: 1500, address: nil),
        Tap(name: "lc2r1d", traffic: .arriving, mtu: 9000, address: "020000000001", isBare: true),
    ]

    private static let moved: NetworkState = {
        var state = NetworkState()
        state.isUp = false
        state.ipv6 = .dead
        state.rebinds = 3
        state.translation = AddressTranslation()
        state.translation?.idle = .seconds(30)
        state.translation?.filtering = .addressAndPort
        state.addresses = ["10.0.2.101", "fd00::2"].compactMap { IPAddress($0) }
        return state
    }()

    @Test(arguments: [
        PumpRequest.start([PumpedDevice(name: "eth0", taps: taps)], Self.recorded, memory: 1 << 20),
        .record, .flush,
        .dropQueued(on: ["lo"], isConditioning: true), .dropQueued(on: [], isConditioning: false),
        .network("uplink0", NetworkState()), .network("uplink0", Self.moved),
    ])
    func readsWhatItWrites(request: PumpRequest) {
        #expect(PumpRequest(json: request.json) == request)
    }

    @Test func keepsItsBytes() {
        let profile = #"{ "name": "x" }"#
        let tap =
            #"{ "name": "lc2r1d", "traffic": "arriving", "facing": "host", "mtu": 9000, "address": "020000000001", "#
            + #""bare": true }"#
        let start = PumpRequest.start(
            [PumpedDevice(name: "eth0", taps: [Self.taps[1]])],
            RecordedProfile(Profile(name: "x")),
            memory: 7
        )
        let devices = #"[{ "name": "eth0", "taps": [\#(tap)] }]"#
        #expect(
            start.json.line == #"{ "do": "start", "devices": \#(devices), "profile": \#(profile), "memory": 7 }"#
        )
        let drop = PumpRequest.dropQueued(on: ["lo"], isConditioning: true)
        #expect(drop.json.line == #"{ "do": "drop", "devices": ["lo"], "conditioning": true }"#)
        let state =
            #"{ "up": false, "ipv6": "dead", "nat": { "idle": "30 s", "filtering": "address and port" }, "#
            + #""rebinds": 3, "addresses": ["10.0.2.101", "fd00::2"] }"#
        let network = PumpRequest.network("uplink0", Self.moved)
        #expect(network.json.line == #"{ "do": "network", "device": "uplink0", "state": \#(state) }"#)
    }

    @Test(arguments: [
        ClientRequest.Task.use(RecordedProfile(Self.slowNet)), .use(Self.recorded), .revert, .report, .watchdog,
        .flows,
    ])
    func readsWhatAClientWrites(task: ClientRequest.Task) {
        let request = ClientRequest(tap: "lc2r1u", task: task)
        #expect(ClientRequest(json: request.json) == request)
    }

    /// Those of the process that started the pump are no client's.
    @Test(arguments: [
        PumpRequest.record, .flush, .dropQueued(on: ["lo"], isConditioning: true),
        .network("uplink0", NetworkState()), .start([], Self.recorded, memory: 1),
    ])
    func takesNothingElseFromAClient(request: PumpRequest) {
        var members = request.json.members.map { ($0.name, JSON?.some($0.value)) }
        members.append(("tap", "lc2r1u"))
        #expect(ClientRequest(json: JSON(members: members)) == nil)
    }

    @Test(arguments: [
        #"{}"#, #"{"do": "stop"}"#, #"{"do": "use"}"#, #"{"do": "drop"}"#,
        #"{"do": "network", "device": "uplink0"}"#,
        #"{"do": "network", "device": "uplink0", "state": {"up": true, "addresses": ["10.0.2"]}}"#,
        #"{"do": "start", "profile": {"name": "x"}}"#, "7",
    ])
    func takesNothingElse(text: String) throws {
        #expect(PumpRequest(json: try JSON(utf8: text.utf8)) == nil)
    }

    private static let full: PumpAnswer = {
        var answer = PumpAnswer(refusal: "no", profile: Profile(name: "x"), held: 1)
        (answer.settled, answer.written) = (2, WrittenPackets(seen: 3, sent: 4))
        (answer.isFinal, answer.recorded) = (true, CaptureDigest.Value(length: 5, checksum: 6))
        return answer
    }()

    @Test(arguments: [PumpAnswer(), PumpAnswer(refusal: "no"), PumpAnswer(profile: Self.slowNet), full])
    func readsAnswers(answer: PumpAnswer) {
        #expect(PumpAnswer(json: answer.json) == answer)
    }

    @Test func keepsTheBytesOfAnAnswer() {
        let text =
            #"{ "refusal": "no", "profile": { "name": "x" }, "held": 1, "settled": 2, "seen": 3, "sent": 4, "#
            + #""final": true, "length": 5, "checksum": 6 }"#
        #expect(Self.full.json.line == text)
    }

    @Test func carriesTextsOverASocket() throws {
        let (near, far) = try MessageChannel.pair()
        defer { near.close() }
        far.send(PumpRequest.start([], Self.recorded, memory: 1).json)
        far.send(PumpAnswer(refusal: "no").json)
        far.close()
        #expect(near.receive().flatMap { PumpRequest(json: $0) } == .start([], Self.recorded, memory: 1))
        #expect(near.receive().flatMap { PumpAnswer(json: $0) } == PumpAnswer(refusal: "no"))
        #expect(near.receive() == nil)
    }

    /// Truncated, of an impossible length, or no JSON.
    @Test(arguments: [[1, 0, 0], [2, 0, 0, 0, 0x7B], [255, 255, 255, 255, 0x7B], [1, 0, 0, 0, 0x7B]] as [[UInt8]])
    func endsAtNonsense(bytes: [UInt8]) throws {
        let (near, far) = try MessageChannel.pair()
        defer { near.close() }
        #expect(write(far.descriptor, bytes, bytes.count) == bytes.count)
        far.close()
        #expect(near.receive() == nil)
    }

    @Test func reportsThatThereIsNoPump() {
        let client = PumpClient(.sockets { _ in PumpSockets(in: "/nonexistent", stem: "cookie1-2") })
        #expect(throws: PumpFailure.gone) { try client.use(RecordedProfile(Self.slowNet), tap: "lc999r1u") }
        #expect(throws: PumpFailure.gone) { try client.report(tap: "lc999r1u") }
        #expect(client.drain(tap: "lc999r1u", until: .zero, .real) == 0)
    }
}
