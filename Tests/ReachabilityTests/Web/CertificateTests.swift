// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Netlink
@testable import Reachability

@Suite struct CertificateTests {
    private static func certificate(_ name: String) throws -> Certificate? {
        Certificate(try Servers.all.get().authority.der(name))
    }

    @Test func readsWhatOpensslWrote() throws {
        let good = try #require(try Self.certificate("good"))
        #expect(good.notBefore == 1_577_836_800)
        #expect(good.notAfter == 4_070_908_800)
        #expect(good.names == ["good.test", "*.wild.test"])
        #expect(good.addresses == [.loopback4, .loopback6])
        #expect(!good.isSelfIssued)
        #expect(try #require(try Self.certificate("self")).isSelfIssued)
        let early = try #require(try Self.certificate("early"))
        #expect(early.notBefore == 4_039_372_800)
    }

    @Test func knowsLeapYearsAndCenturies() throws {
        let der = try Servers.all.get().authority.der("expired")
        let text = Array("210101000000Z".utf8)
        let place = try #require(der.indices.first { der[$0...].starts(with: text) })
        for (date, seconds) in [
            ("700101000000Z", 0), ("691231235959Z", -1), ("000229120000Z", 951_825_600),
            ("491231235959Z", 2_524_607_999),
            ("500101000000Z", -631_152_000), ("240301000000Z", 1_709_251_200),
        ] as [(String, Int64)] {
            var changed = der
            changed.replaceSubrange(place..<place + 13, with: Array(date.utf8))
            #expect(Certificate(changed)?.notAfter == seconds, "\(date)")
        }
        for date in ["7001010000000", "701301000000Z", "700132000000Z", "7001010000+1Z", "700101240000Z"] {
            var changed = der
            changed.replaceSubrange(place..<place + 13, with: Array(date.utf8))
            #expect(Certificate(changed) == nil, "\(date)")
        }
    }

    /// Whatever stands there, it is read or refused, and nothing beyond its end is looked at.
    @Test func survivesEveryDamage() throws {
        let der = try Servers.all.get().authority.der("good")
        let intact = try #require(Certificate(der))
        for length in 0..<der.count { #expect(Certificate(Array(der.prefix(length))) == nil) }
        var seed: UInt64 = 7
        func random(_ bound: Int) -> Int {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(seed >> 33) % bound
        }
        var others = 0
        for _ in 0..<50_000 {
            var changed = der
            for _ in 0...random(4) { changed[random(der.count)] = UInt8(random(256)) }
            if random(4) == 0 { changed.removeSubrange(random(der.count)...) }
            if random(4) == 0 { changed.insert(contentsOf: [0x30, 0x84, 0xFF, 0xFF], at: random(changed.count + 1)) }
            if Certificate(changed) != intact { others += 1 }
        }
        #expect(others > 1000)
        for _ in 0..<20_000 {
            let noise = (0..<random(64)).map { _ in UInt8(random(256)) }
            var reader = DERReader(noise[...])
            var total = 0
            while let element = reader.next() { total += element.content.count + 2 }
            #expect(total <= noise.count)
        }
    }

    @Test(
        arguments: [
            [0x30], [0x30, 0x80], [0x30, 0x01], [0x30, 0x85, 0, 0, 0, 0, 1], [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF],
            [0x1F, 0x01, 0x00], [0x30, 0x82, 0x01],
        ] as [[UInt8]]
    )
    func readsNoElementThatIsNotSound(_ bytes: [UInt8]) {
        var reader = DERReader(bytes[...])
        #expect(reader.next() == nil)
        #expect(reader.next() == nil)
    }

    @Test func judgesTimeBeforeTrustBeforeName() throws {
        let good = try Self.certificate("good")
        let selfSigned = try Self.certificate("self")
        func fault(_ certificate: Certificate?, _ isTrusted: Bool, _ name: String, _ now: Int64) -> CertificateFault? {
            CertificateFault(certificate, isTrusted: isTrusted, name: name, now: now)
        }
        let now: Int64 = 1_800_000_000
        #expect(fault(good, true, "good.test", now) == nil)
        #expect(fault(good, false, "bad.test", 5_000_000_000)?.reason == .tlsExpired)
        #expect(fault(good, false, "bad.test", 0)?.reason == .tlsNotYetValid)
        #expect(fault(good, false, "bad.test", now)?.reason == .tlsUntrusted)
        #expect(fault(good, true, "bad.test", now)?.reason == .tlsNameMismatch)
        #expect(fault(nil, false, "good.test", now)?.reason == .tlsUntrusted)
        let all = try #require(fault(selfSigned, false, "bad.test", 5_000_000_000))
        #expect(all.detail.contains("ended") && all.detail.contains("self-signed") && all.detail.contains("bad.test"))
    }

    @Test func readsTheErrorsOfBoringSSL() {
        func read(_ text: String) -> SessionFailure { SessionFailure(text) }
        let tail = ":SSL routines:OPENSSL_internal:"
        #expect(read("Error: 268435581 error:1000007d\(tail)CERTIFICATE_VERIFY_FAILED at /a/b.cc:1") == .certificate)
        #expect(read("Error: 1 error:100000f0\(tail)UNSUPPORTED_PROTOCOL at /a/b.cc:1") == .version)
        #expect(read("Error: 1 error:1000042e\(tail)TLSV1_ALERT_PROTOCOL_VERSION at /a/b.cc:1") == .alert(70))
        #expect(read("Error: 1 error:100000f7\(tail)WRONG_VERSION_NUMBER at x:1") == .malformed("WRONG_VERSION_NUMBER"))
        #expect(read("Error: 1 error:0b00007d:X.509:OPENSSL_internal:OTHER at x:1") == .malformed("OTHER"))
        for text in ["", "error:", "error:zz:a:b:c", "Error: 5", "error:ffffffffff:a"] {
            #expect(read(text).reason == .tlsMalformed)
        }
        #expect(SessionFailure.alert(120).reason == .tlsVersionOrALPN)
        #expect(SessionFailure.alert(200).detail == "alert 200")
    }
}
