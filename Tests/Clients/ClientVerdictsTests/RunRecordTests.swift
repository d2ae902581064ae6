// SPDX-License-Identifier: Apache-2.0

import InternetAddresses
import Testing

@testable import ClientTraffic
@testable import ClientVerdicts
@testable import TestPackets

struct RunRecordTests {
    private func record(_ text: String) -> RunRecord {
        RunRecord(
            events: Array(text.utf8),
            started: Instant(nanoseconds: 1),
            ended: Instant(nanoseconds: 99),
            outcome: .exited(0)
        )
    }

    @Test func readsTheEventsOfARun() throws {
        let record = record(
            """
            {"time":10,"event":"begin"}
            {"time":10,"event":"sampling","every":25}
            {"time":20,"event":"mark","name":"typed"}
            {"time":30,"event":"step","label":"in the lift","profile":"Black Hole"}
            {"time":40,"event":"mark","name":"left"}
            {"time":45,"event":"conditions","profile":"Slow Net"}
            {"time":46,"event":"asked","client":"10.0.0.1:4000","server":"[2001:db8::1]:80","last":44}
            {"time":48,"event":"closed","client":"10.0.0.1:4002","server":"10.0.0.2:80","last":47}
            {"time":49,"event":"removed","client":"10.0.0.1:4004","server":"10.0.0.2:80","last":48}
            {"time":50,"event":"busy","from":40,"waited":7}
            {"time":55,"event":"timeOfDaySet","by":-2000000000}
            {"time":60,"event":"end"}
            {"time":61,"event":"open","client":"10.0.0.1:4001","server":"10.0.0.2:80","owner":"curl (7)"}
            {"time":62,"event":"missed","label":"out again","for":"10 kB"}
            {"time":63,"event":"sampled"}
            """
        )
        #expect(record.isComplete && record.observedSince == nil)
        #expect(record.clockChanges == [RunRecord.ClockChange(Instant(nanoseconds: 55), by: .seconds(-2))])
        #expect(record.begin.nanoseconds == 10 && record.end.nanoseconds == 60)
        #expect(record.labels.map(\.name) == ["typed", "in the lift", "left"])
        #expect(record.labels.map(\.begin.nanoseconds) == [20, 30, 40])
        #expect(record.labels.map(\.end.nanoseconds) == [40, 60, 60])
        #expect(record.changes.map(\.profile) == ["Slow Net"] && record.missedSteps == ["out again": "10 kB"])
        #expect(record.samplingPeriod == .nanoseconds(25))
        #expect(record.socketChanges.map(\.kind) == [.asked, .closed, .removed])
        #expect(record.socketChanges[0].socket.server.description == "[2001:db8::1]:80")
        #expect(record.socketChanges[0].last.nanoseconds == 44)
        #expect(record.socketChanges[1].socket.client.port == 4002)
        #expect([record.socketChanges[1].last.nanoseconds, record.socketChanges[1].gone.nanoseconds] == [47, 48])
        #expect(record.openAtEnd.map(\.owner) == ["curl (7)"])
        #expect(record.stalls.map(\.waited) == [.nanoseconds(7)])
    }

    /// A step is dated before it took effect, and told after that.
    @Test func putsLabelsInTheOrderOfTheirTimes() {
        let record = record(
            """
            {"time":10,"event":"begin"}
            {"time":30,"event":"step","label":"later"}
            {"time":25,"event":"mark","name":"typed"}
            {"time":20,"event":"step","label":"earlier"}
            {"time":60,"event":"end"}
            """
        )
        #expect(record.labels.map(\.name) == ["earlier", "typed", "later"])
        #expect(record.labels.map(\.end.nanoseconds) == [30, 60, 60])
    }

    @Test func readsTheSameInPieces() {
        let text = """
            {"time":10,"event":"begin"}
            {"time":20,"event":"mark","name":"typed"}
            {"time":30,"event":"ma

            {"time":31,"event":"cut"}
            {"time":60,"event":"end"}
            """
        let whole = record(text)
        #expect(whole.labels.map(\.name) == ["typed"] && whole.end.nanoseconds == 60)
        #expect(whole.shortfall == .eventsMissing)
        let bytes = Array(text.utf8)
        for split in bytes.indices {
            var reader = RunRecordReader(
                started: Instant(nanoseconds: 1),
                ended: Instant(nanoseconds: 99),
                outcome: .exited(0)
            )
            reader.append(bytes[..<split])
            reader.append(bytes[split...])
            #expect(reader.finish() == whole)
        }
    }

    /// The disk was full, or the supervisor was killed.
    @Test func knowsThatARecordEndsEarly() {
        let record = record(
            """
            {"time":10,"event":"begin"}
            {"time":20,"event":"observing","since":19}
            {"time":20,"event":"older","client":"10.0.0.1:4001","server":"10.0.0.2:80"}
            {"time":60,"event":"end"}
            {"time":61,"event":"open","client":"10.0.0.1:40
            """
        )
        #expect(!record.isComplete && record.observedSince?.nanoseconds == 19)
        #expect(record.olderSockets.map(\.socket.client.port) == [4001])
    }

    @Test func readsWhatAMonitorAddsToTheEvents() throws {
        let record = record(
            """
            {"time":5,"event":"monitor","target":"tcp://a.test:80","peer":"a.test:80","status":"unknown","reachable":false}
            {"time":6,"event":"probe","client":"10.0.0.1:4000","server":"10.0.0.2:80","transport":"tcp"}
            {"time":7,"event":"monitor","target":"tcp://a.test:80","peer":"a.test:80","addresses":["10.0.0.2"],\
            "status":"degraded","reachable":true,"reason":"path.loss","interval":20,"bound":3}
            {"time":8,"event":"owner","client":"10.0.0.1:4001","server":"10.0.0.2:80","owner":"curl (7)"}
            {"time":9,"event":"monitor","target":"link:lo","status":"reachable"}
            """
        )
        #expect(record.monitorVerdicts.map(\.status) == ["unknown", "degraded"])
        let verdict = try #require(record.monitorVerdicts.last)
        #expect(verdict.peer == Peer("a.test", port: 80) && verdict.addresses == ["10.0.0.2"] && verdict.isReachable)
        #expect(
            verdict.reason == "path.loss" && verdict.interval == .nanoseconds(20) && verdict.bound == .nanoseconds(3)
        )
        #expect(record.probes.map(\.socket.client.description) == ["10.0.0.1:4000"])
        #expect(record.probes.allSatisfy { $0.socket.isTCP })
        #expect(record.owners.map(\.name) == ["curl (7)"])
    }

    @Test func passesOverWhatItDoesNotUnderstand() {
        let record = record(
            """
            not json
            {"time":"x","event":"mark","name":"a"}
            {"time":5,"event":"news"}
            {"time":20,"event":"mark","name":"typed"}
            {"time":30,"event":"mar
            """
        )
        #expect(record.labels.map(\.name) == ["typed"])
        #expect(record.begin.nanoseconds == 1 && record.end.nanoseconds == 99)
    }
}
