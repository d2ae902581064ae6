// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import LinkVerification
import TestKit
import Testing

@testable import LinkProbes

/// A reflector among those who may measure with it and those who may not.
@Suite struct ReflectorTests {
    private static let second: Int64 = 1_000_000_000

    /// A reflector with a clock, and what went in and out of it.
    private struct World {
        var reflector: Reflector
        var now = Reflector.Instant(wall: 1_700_000_000 * second, monotonic: 100 * second)
        var (taken, given) = (0, 0)
        /// The greatest excess of what left over what came.
        var excess = Int.min

        init(_ key: ReflectionKey, rate: UInt64 = 100_000_000) {
            var random = SeededGenerator(seed: 1)
            reflector = Reflector(
                key,
                rate: BitRate(bitsPerSecond: rate),
                machine: Reflector.Machine(bootID: "boot", clockError: nil),
                end: 4_000 * second,
                random: &random
            )
        }

        mutating func pass(_ time: Duration) {
            now.wall += time.nanoseconds
            now.monotonic += time.nanoseconds
        }

        /// The headers of Ethernet, IPv4 and UDP are on the wire, too.
        private static let headers = 42

        mutating func send(_ bytes: [UInt8], from client: PeerAddress) -> [UInt8]? {
            taken += bytes.count + Self.headers
            let answer = reflector.receive(bytes, from: client, came: now.wall, now: now)
            given += answer.map { $0.count + Self.headers } ?? 0
            excess = max(excess, given - taken)
            return answer
        }

        mutating func due() -> [[UInt8]] {
            let datagrams = (reflector.due(now)?.groups ?? []).flatMap(\.self)
            given += datagrams.reduce(0) { $0 + $1.count + Self.headers }
            excess = max(excess, given - taken)
            return datagrams
        }
    }

    /// Somebody who has a key, and keeps what is sent.
    private struct Client {
        let address: PeerAddress
        let id: UInt64
        var key: ReflectionKey
        var sent: [[UInt8]] = []

        init(_ last: UInt8, id: UInt64, _ key: ReflectionKey) throws {
            address = try #require(PeerAddress([10, 0, 0, last], scope: 0, port: 5_000))
            (self.id, self.key) = (id, key)
        }

        mutating func ask(_ world: inout World, _ packet: ReflectionPacket, length: Int = 0) -> ReflectionPacket? {
            let bytes = packet.encoded(key, length: length)
            sent.append(bytes)
            return world.send(bytes, from: address).flatMap { ReflectionPacket($0, key) }
        }

        func packet(_ kind: ReflectionPacket.Kind, _ phase: UInt8 = 0, number: Int = 0) -> ReflectionPacket {
            var packet = ReflectionPacket(kind, session: id, number: UInt64(number))
            packet.phase = phase
            return packet
        }

        /// Whether a session began.
        mutating func open(_ world: inout World) -> Bool {
            var hello = packet(.hello)
            hello.times.0 = world.now.wall
            guard let challenge = ask(&world, hello) else { return false }
            var open = packet(.open)
            open.number = challenge.number
            guard let opened = ask(&world, open, length: 128), opened.value > 0 else { return false }
            key = Reflector.sessionKey(key, id, challenge.number)
            return true
        }

        mutating func begin(_ world: inout World, _ phase: UInt8, _ request: PhaseRequest) -> Bool {
            var begin = packet(.begin, phase)
            begin.body = request.encoded
            return ask(&world, begin, length: 128)?.kind == .begun
        }
    }

    private let key: ReflectionKey

    init() throws { key = try #require(ReflectionKey("a key of some length")) }

    @Test func writesDownWhatComesAndWhatItSends() throws {
        var world = World(key)
        var client = try Client(1, id: 7, key)
        expect(client.open(&world))
        expect(world.reflector.drainEvents() == [.began(client.address)])
        let traffic = ProbeTraffic(packets: 5, interval: .milliseconds(10), payload: 200, group: 2)
        expect(client.begin(&world, 1, PhaseRequest(arriving: 10, answer: traffic, pause: .milliseconds(50))))
        let start = world.now.wall
        for number in [0, 1, 3, 2, 2, 9, 10] {
            world.pass(.milliseconds(1))
            expect(client.ask(&world, client.packet(.up, 1, number: number), length: 200) == nil)
        }
        // Of another phase, and none that is measured.
        _ = client.ask(&world, client.packet(.up, 2, number: 4), length: 200)
        expect(world.reflector.nextSend == start + 50_000_000 && world.due().isEmpty)
        world.pass(.milliseconds(60))
        let down = world.due().compactMap { ReflectionPacket($0, client.key) }
        #expect(down.map(\.number) == [0, 1, 2, 3] && down.allSatisfy { $0.kind == .down && $0.phase == 1 })

        var fetch = client.packet(.fetch, 1)
        let came = try require(client.ask(&world, fetch, length: 400))
        let arrivals = try #require(FlowLog.decoded(came.body, count: Int(came.value)))
        #expect(arrivals.map(\.packet) == [0, 1, 3, 2, 2, 9] && came.times.0 == 6)
        #expect(arrivals.map { ($0.time - start) / 1_000_000 } == [1, 2, 3, 4, 5, 6])
        fetch.value = 1
        let left = try require(client.ask(&world, fetch, length: 400))
        let sends = try #require(FlowLog.decoded(left.body, count: Int(left.value)))
        #expect(sends.map(\.packet) == [0, 1, 2, 3] && sends.allSatisfy { $0.time == world.now.wall })
        expect(client.ask(&world, client.packet(.close))?.kind == .close)
        expect(world.reflector.drainEvents().count == 1)
    }

    @Test func tellsTheTimesOfAQuestionOnce() throws {
        var world = World(key)
        var client = try Client(1, id: 7, key)
        expect(client.open(&world))
        let answer = try require(client.ask(&world, client.packet(.ask, number: 1)))
        #expect(answer.times == (world.now.wall, world.now.wall) && answer.number == 1)
        expect(client.ask(&world, client.packet(.ask, number: 1)) == nil)
        expect(client.ask(&world, client.packet(.ask, number: 2)) != nil)
    }

    @Test func answersNobodyWithoutTheKey() throws {
        var world = World(key)
        let other = try #require(ReflectionKey("another key, as long"))
        var stranger = try Client(2, id: 9, other)
        expect(!stranger.open(&world))
        expect(world.given == 0 && world.reflector.drainEvents().isEmpty)
        // One bit that is wrong anywhere.
        var client = try Client(1, id: 7, key)
        let hello = client.packet(.hello).encoded(key)
        for bit in 0..<hello.count * 8 {
            var wrong = hello
            wrong[bit / 8] ^= 1 << (bit % 8)
            expect(world.send(wrong, from: client.address) == nil)
        }
        expect(client.open(&world))
        let ask = client.packet(.ask, number: 1).encoded(client.key, length: 100)
        for bit in 0..<ask.count * 8 {
            var wrong = ask
            wrong[bit / 8] ^= 1 << (bit % 8)
            expect(world.send(wrong, from: client.address) == nil)
        }
        expect(world.send(ask, from: client.address) != nil)
    }

    /// A recorded hello, sent again and again from anywhere, leaves the others their share; so do hellos without a time.
    @Test func aRecordedHelloKeepsNoClientWaiting() throws {
        var world = World(key)
        var first = try Client(1, id: 7, key)
        expect(first.open(&world))
        _ = first.ask(&world, first.packet(.close))
        let untimed = try Client(2, id: 8, key).packet(.hello).encoded(key)
        for round in 0..<3 {
            var answers = 0
            for number in 0..<1_000 {
                let address = try #require(PeerAddress([10, 0, UInt8(number / 250), 9], scope: 0, port: 5_000))
                expect(world.send(first.sent[0], from: address) == nil)
                answers += world.send(untimed, from: address) == nil ? 0 : 1
            }
            expect(answers == 5)
            var other = try Client(1, id: 100 + UInt64(round), key)
            expect(other.open(&world))
            _ = other.ask(&world, other.packet(.close))
            world.pass(.seconds(1))
        }
        // When it is as old as a wrong clock, it is taken for that.
        world.pass(.seconds(600))
        expect(world.send(first.sent[0], from: first.address) != nil)
    }

    /// One client's hellos leave others a share, too.
    @Test func anAddressHasAShare() throws {
        var world = World(key)
        for number in 0..<300 {
            var client = try Client(1, id: UInt64(number), key)
            var hello = client.packet(.hello)
            hello.times.0 = world.now.wall
            expect((client.ask(&world, hello) != nil) == (number < 10))
        }
        var other = try Client(2, id: 1_000, key)
        expect(other.open(&world))
    }

    /// Who has heard a whole session can do nothing with it: not from its own address, nor from the client's, afterwards and
    /// after a new start.
    @Test func takesNothingThatWasRecorded() throws {
        var world = World(key)
        var client = try Client(1, id: 7, key)
        expect(client.open(&world))
        expect(client.begin(&world, 1, PhaseRequest(arriving: 10, answer: nil, pause: .zero)))
        for number in 1...5 { _ = client.ask(&world, client.packet(.ask, number: number), length: 100) }
        let eavesdropper = try Client(3, id: 7, key)
        // While the session lives.
        for bytes in client.sent.dropFirst() { expect(world.send(bytes, from: eavesdropper.address) == nil) }
        _ = client.ask(&world, client.packet(.close))
        _ = world.reflector.drainEvents()
        let recorded = client.sent
        for address in [client.address, eavesdropper.address] {
            for bytes in recorded.dropFirst() { expect(world.send(bytes, from: address) == nil) }
            expect(world.send(recorded[0], from: address) == nil)
        }
        for _ in 0..<20 {
            world.pass(.seconds(1))
            for bytes in recorded.dropFirst() { expect(world.send(bytes, from: client.address) == nil) }
        }
        expect(world.reflector.drainEvents().isEmpty)
        var random = SeededGenerator(seed: 2)
        world.reflector = Reflector(
            key,
            rate: BitRate(bitsPerSecond: 1_000_000),
            machine: Reflector.Machine(bootID: "boot", clockError: nil),
            end: 4_000 * Self.second,
            random: &random
        )
        for bytes in recorded.dropFirst() { expect(world.send(bytes, from: client.address) == nil) }
        expect(world.reflector.drainEvents().isEmpty)
    }

    @Test func servesOneAtATimeAndForgetsASilentOne() throws {
        var world = World(key)
        var (first, second) = (try Client(1, id: 7, key), try Client(2, id: 8, key))
        expect(first.open(&world) && !second.open(&world))
        world.pass(.seconds(29))
        expect(!second.open(&world))
        world.pass(.seconds(2))
        expect(second.open(&world))
        expect(first.ask(&world, first.packet(.ask, number: 1)) == nil)
        expect(world.reflector.drainEvents().map { $0 == .began(second.address) }.last == true)
    }

    @Test func answersFewHellosASecond() throws {
        var world = World(key)
        let hello = try Client(1, id: 7, key).packet(.hello).encoded(key)
        let address = try Client(1, id: 7, key).address
        let answers = (0..<1_000).count { _ in world.send(hello, from: address) != nil }
        #expect(answers == 5)
        world.pass(.seconds(1))
        expect(world.send(hello, from: address) != nil)
    }

    @Test func sendsNoFasterThanItsRate() throws {
        var world = World(key, rate: 800_000)
        var client = try Client(1, id: 7, key)
        expect(client.open(&world))
        let traffic = ProbeTraffic(packets: 2_000, interval: .milliseconds(1), payload: 1_000)
        expect(client.begin(&world, 1, PhaseRequest(arriving: 0, answer: traffic, pause: .zero)))
        for _ in 0..<3_000 { _ = client.ask(&world, client.packet(.fill), length: 1_000) }
        var sent = 0
        for _ in 0..<2_000 {
            world.pass(.milliseconds(1))
            sent += world.due().count
        }
        // 100 kB a second for two seconds, and what a tenth of a second saves, of 1,062 bytes each.
        #expect((183...200).contains(sent), "\(sent)")
    }

    /// Whatever comes, in whatever order: never more bytes leave than have come.
    @Test(arguments: 1...40) func neverSendsMoreThanItGets(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var world = World(key)
        var client = try Client(1, id: seed, key)
        expect(client.open(&world))
        var phase: UInt8 = 0
        for number in 1...400 {
            let length = Int.random(in: 64...1_472, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0:
                phase += phase < 250 ? 1 : 0
                let traffic = ProbeTraffic(
                    packets: Int.random(in: 1...1_000, using: &random),
                    interval: .microseconds(Int.random(in: 1...5_000, using: &random)),
                    payload: Int.random(in: 64...1_472, using: &random),
                    group: Int.random(in: 1...64, using: &random)
                )
                _ = client.begin(&world, phase, PhaseRequest(arriving: 500, answer: traffic, pause: .zero))
            case 1: _ = client.ask(&world, client.packet(.ask, number: number), length: length)
            case 2: _ = client.ask(&world, client.packet(.up, phase, number: number), length: length)
            case 3: _ = client.ask(&world, client.packet(.fill), length: length)
            case 4:
                var fetch = client.packet(.fetch, phase)
                fetch.value = Int64.random(in: 0...1, using: &random)
                _ = client.ask(&world, fetch, length: length)
            default: break
            }
            world.pass(.microseconds(Int.random(in: 0...20_000, using: &random)))
            _ = world.due()
        }
        #expect(world.excess <= 0 && world.given > 10_000, "\(world.excess) \(world.given)")
    }

    /// Datagrams of a right client with bytes changed, and noise: no session begins, and no answer is longer.
    @Test func standsHostileDatagrams() throws {
        var world = World(key)
        var client = try Client(1, id: 7, key)
        expect(client.open(&world))
        _ = client.begin(&world, 1, PhaseRequest(arriving: 10, answer: nil, pause: .zero))
        _ = client.ask(&world, client.packet(.ask, number: 1), length: 200)
        _ = client.ask(&world, client.packet(.fetch, 1), length: 1_472)
        _ = world.reflector.drainEvents()
        var inputs = FuzzedInputs(client.sent, seed: 3)
        for _ in 0..<FuzzedInputs.count {
            _ = world.send(inputs.next(), from: client.address)
            _ = world.due()
        }
        expect(world.excess <= 0 && world.reflector.drainEvents().isEmpty)
        // Who has the key may say anything, too.
        var random = SeededGenerator(seed: 4)
        for number in 0..<FuzzedInputs.count {
            var packet = ReflectionPacket(
                random.pick([.begin, .ask, .up, .fill, .fetch]),
                session: 7,
                number: random.pick([UInt64(number), .max, 0, 1 << 63])
            )
            packet.phase = UInt8.random(in: 0...255, using: &random)
            packet.value = random.pick([0, 1, .max, .min])
            packet.times = (.max, .min)
            packet.body = (0..<Int.random(in: 0...60, using: &random)).map { _ in random.pick([0, 1, 255]) }
            _ = world.send(packet.encoded(client.key), from: client.address)
            world.pass(.microseconds(10))
            _ = world.due()
        }
        #expect(world.excess <= 0)
        expect(client.ask(&world, client.packet(.close))?.kind == .close)
    }
}

/// Takes what changes something, as the macro does not.
private func expect(_ holds: Bool, _ words: String = "", at place: SourceLocation = #_sourceLocation) {
    #expect(holds, Comment(rawValue: words), sourceLocation: place)
}

private func require<Value>(_ value: Value?, at place: SourceLocation = #_sourceLocation) throws -> Value {
    try #require(value, sourceLocation: place)
}
