// SPDX-License-Identifier: Apache-2.0

import LinkProfiles

@testable import ClientTraffic
@testable import ClientVerdicts
@testable import LinkConditioning
@testable import PacketPump
@testable import Probing

extension FuzzTarget {
    static let expectation = FuzzTarget("expectation", texts: ClientExpectation.examples) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        guard let expectation = try? ClientExpectation(parsing: text) else { return }
        let copy = try? ClientExpectation(parsing: expectation.description)
        require(copy == expectation, "\(expectation) reads as \(String(describing: copy))")
    }

    static let target = FuzzTarget(
        "target",
        texts: [
            "internet", "link:eth0", "unix:///run/x", "icmp://[fe80::1%2]", "tcp://a.test:7", "udp://10.0.0.1:53",
            "tls://a.test", "https://a.test:8443/x?y#status=204&body=ok", "dns+tcp://[2001:db8::1]:54/a.test", "a.test",
        ]
    ) { bytes in
        _ = TargetList(bytes)
        guard let target = try? Target(String(decoding: bytes, as: UTF8.self)) else { return }
        let copy = try? Target(target.description)
        require(copy == target, "\(target) reads as \(String(describing: copy))")
    }

    static let event = FuzzTarget(
        "event",
        texts: [
            #"{"time":1,"event":"begin"}"#, #"{"time":1,"event":"step","label":"lift","profile":"Slow Net"}"#,
            #"{"time":2,"event":"missed","label":"out","for":"10 kB"}"#, #"{"time":3,"event":"mark","name":"x"}"#,
            #"{"time":3,"event":"sampling","every":25000000}"#, #"{"time":9,"event":"busy","from":7,"waited":2}"#,
            #"{"time":4,"event":"asked","client":"10.0.0.1:4","server":"[2001:db8::1]:80","last":3}"#,
            #"{"time":5,"event":"removed","client":"10.0.0.1:4","server":"10.0.0.2:8","last":4}"#,
            #"{"time":5,"event":"owner","client":"10.0.0.1:4","server":"10.0.0.2:8","owner":"curl (7)","#
                + #""holder":{"pid":7,"below":[5,4],"mark":4}}"#,
            #"{"time":6,"event":"probe","client":"10.0.0.1:4","server":"10.0.0.2:8","transport":"udp"}"#,
            #"{"time":7,"event":"monitor","target":"udp://a.test:53","peer":"a.test:53","addresses":["10.0.0.2"],"#
                + #""status":"degraded","reachable":true,"reason":"path.loss","interval":1000,"bound":30}"#,
        ]
    ) { bytes in
        let zero = Instant(nanoseconds: 0)
        judge(connections, RunRecord(events: bytes, started: zero, ended: zero, outcome: .exited(0)))
        guard let json = try? JSON(utf8: bytes), let event = RunEvent(json: json) else { return }
        let copy = (try? JSON(utf8: event.line)).flatMap { RunEvent(json: $0) }
        require(copy == event, "\(event) is written as \(String(decoding: event.line, as: UTF8.self))")
    }

    /// The connections of the seeds.
    private static let connections: ClientTraffic.ObservedTraffic = {
        let packet = ObservedPacket(number: 1, sent: .init(nanoseconds: 2), delivered: .init(nanoseconds: 3))
        var traffic = ClientTraffic.ObservedTraffic()
        traffic.connections = ["[2001:db8::1]:80", "10.0.0.2:8"].compactMap { server in
            guard let client = Endpoint("10.0.0.1:4"), let server = Endpoint(server) else { return nil }
            var connection = Connection(.tcp, client: client, server: server, attempts: [packet])
            (connection.clientPackets, connection.accepted, connection.answers) = ([packet], packet, [packet])
            return connection
        }
        return traffic
    }()

    static let pump = FuzzTarget(
        "pump",
        texts: [
            #"{"do":"start","devices":[{"name":"lo","taps":[{"name":"t","traffic":"both","mtu":1500,"address":"02"}]}],"#
                + #""profile":{"name":"A"},"memory":1}"#,
            #"{"do":"use","profile":{"name":"A","uplink":{"delay":"1 ms"}}}"#, #"{"do":"drop","conditioning":true}"#,
            #"{"do":"report"}"#, #"{"do":"revert"}"#, #"{"refusal":"no","held":1,"settled":2,"seen":3,"sent":4}"#,
            #"{"profile":{"name":"A"},"final":true}"#,
        ]
    ) { bytes in
        guard let json = try? JSON(utf8: bytes) else { return }
        if let request = PumpRequest(json: json) {
            let copy = (try? JSON(utf8: request.json.text.utf8)).flatMap(PumpRequest.init(json:))
            require(copy == request, "\(request) is written as \(request.json.text)")
        }
        if let answer = PumpAnswer(json: json) {
            let copy = (try? JSON(utf8: answer.json.text.utf8)).flatMap { PumpAnswer(json: $0) }
            require(copy == answer, "\(answer) is written as \(answer.json.text)")
        }
    }

    /// The body of an entry: no fuzzer finds its checksum.
    static let journal = FuzzTarget("journal", texts: [entry]) { bytes in
        _ = JournalReading(bytes)
        let reading = JournalReading(JournalReading.header(for: bytes) + bytes)
        guard case .entry(let entry) = reading else { return }
        require(JournalReading(JournalReading.bytes(of: entry)) == reading, "\(entry) is written as \(entry.json.text)")
    }

    private static let entry = """
        {"boot":"5f0e","namespace":4026531840,"cookie":4097,"index":2,"interface":"eth0","address":"020000000001",
        "madeHook":true,"previousMTU":65536,"rules":[{"traffic":"to 10.0.0.0/8 exclude port 22",
        "profile":{"name":"A","uplink":{"delay":"1 ms"}},"seed":7,"beforeForeign":false,"engine":"netem",
        "owner":{"pid":1,"startTime":2,"pidNamespace":3},"uid":0,"since":1700000000,
        "ending":{"guardian":{"pid":1,"startTime":2,"pidNamespace":3},"until":600000000000,"isTied":true}}],
        "suspended":[],"change":{"owner":{"pid":1,"startTime":2,"pidNamespace":3},"command":"reset",
        "traffic":"port 80","isRemoval":true}}
        """
}
