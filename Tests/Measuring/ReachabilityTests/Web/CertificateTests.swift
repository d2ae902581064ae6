// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import Glibc
import Testing

@testable import Netlink
@testable import Probing

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
            #expect(Certificate(noise) == nil)
        }
    }

    @Test(
        arguments: [
            [0x30], [0x30, 0x80], [0x30, 0x01], [0x30, 0x85, 0, 0, 0, 0, 1], [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF],
            [0x1F, 0x01, 0x00], [0x30, 0x82, 0x01],
        ] as [[UInt8]]
    )
    func readsNoElementThatIsNotSound(_ bytes: [UInt8]) {
        #expect(Certificate(bytes) == nil)
    }

    @Test func judgesTimeBeforeTrustBeforeName() throws {
        let authority = try Servers.all.get().authority
        func fault(_ name: String, _ isTrusted: Bool, _ host: String, _ now: Int64) throws -> CertificateFault? {
            let der = try authority.der(name)
            let faults = try verify(der, trusting: isTrusted ? authority.roots : nil, for: host, at: now)
            return CertificateFault(faults, Certificate(der), name: host)
        }
        let now: Int64 = 1_800_000_000
        #expect(try fault("good", true, "good.test", now) == nil)
        #expect(try fault("good", false, "bad.test", 5_000_000_000)?.reason == .tlsExpired)
        #expect(try fault("good", false, "bad.test", 0)?.reason == .tlsNotYetValid)
        #expect(try fault("good", false, "bad.test", now)?.reason == .tlsUntrusted)
        #expect(try fault("good", true, "bad.test", now)?.reason == .tlsNameMismatch)
        #expect(CertificateFault([], nil, name: "good.test")?.reason == .tlsUntrusted)
        let all = try #require(try fault("self", false, "bad.test", 5_000_000_000))
        #expect(all.detail.contains("ended") && all.detail.contains("self-signed") && all.detail.contains("bad.test"))
    }

    /// Signed by a trusted root, and for the right name.
    @Test(arguments: ["brokenNames", "brokenUsage", "brokenConstraints"])
    func trustsNoCertificateWhoseExtensionsCannotBeRead(_ name: String) throws {
        let authority = try Servers.all.get().authority
        let der = try authority.der(name)
        let faults = try verify(der, trusting: authority.roots, for: "good.test", at: 1_800_000_000)
        let fault = CertificateFault(faults, Certificate(der), name: "good.test")
        #expect(fault != nil && !faults.isEmpty, "\(faults)")
        #expect(CertificateFault([], nil, name: "good.test")?.reason == .tlsUntrusted)
    }

    /// A code that has no reason of its own is never taken for trust.
    @Test func trustsNothingThatVerificationObjectsTo() throws {
        let good = try #require(try Self.certificate("good"))
        for code in 1...200 as ClosedRange<Int32> {
            #expect(CertificateFault([ChainFault(code: code, depth: 0)], good, name: "good.test") != nil, "\(code)")
            #expect(CertificateFault([ChainFault(code: code, depth: 3)], good, name: "good.test") != nil, "\(code)")
        }
    }

    @Test func readsTheErrorsOfOpenSSL() {
        func read(_ library: Int32, _ reason: Int32) -> SessionFailure {
            // ERR_PACK of err.h.
            SessionFailure(UInt(library) << 23 | UInt(reason))
        }
        #expect(read(ERR_LIB_SSL, SSL_R_CERTIFICATE_VERIFY_FAILED) == .certificate)
        #expect(read(ERR_LIB_SSL, SSL_R_UNSUPPORTED_PROTOCOL) == .version)
        #expect(read(ERR_LIB_SSL, 1070) == .alert(70))
        #expect(read(ERR_LIB_SSL, SSL_R_UNEXPECTED_EOF_WHILE_READING) == .closed)
        #expect(read(ERR_LIB_SSL, SSL_R_WRONG_VERSION_NUMBER).reason == .tlsMalformed)
        // The same number means another thing in another library.
        #expect(read(ERR_LIB_X509, SSL_R_CERTIFICATE_VERIFY_FAILED).reason == .tlsMalformed)
        for code in [0, 1, UInt(UInt32.max), .max] { #expect(SessionFailure(code).reason == .tlsMalformed) }
        #expect(SessionFailure.alert(120).reason == .tlsVersionOrALPN)
        #expect(SessionFailure.alert(200).detail == "alert 200")
    }
}

/// What OpenSSL objects to in a certificate alone, at a moment in seconds since 1970.
private func verify(_ der: [UInt8], trusting roots: String?, for host: String, at now: Int64) throws -> [ChainFault] {
    let certificate = try #require(der.x509)
    defer { X509_free(certificate) }
    let store = try #require(X509_STORE_new())
    defer { X509_STORE_free(store) }
    if let roots { #expect(X509_STORE_load_file(store, roots) == 1) }
    let context = try #require(X509_STORE_CTX_new())
    defer { X509_STORE_CTX_free(context) }
    #expect(X509_STORE_CTX_init(context, store, certificate, nil) == 1)
    let parameters = X509_STORE_CTX_get0_param(context)
    X509_VERIFY_PARAM_set_time(parameters, time_t(now))
    X509_VERIFY_PARAM_set1_host(parameters, host, host.utf8.count)
    return ChainFault.verify(context)
}

extension Certificate {
    /// Reads the DER encoding.
    fileprivate init?(_ bytes: [UInt8]) {
        guard let certificate = bytes.x509 else { return nil }
        defer { X509_free(certificate) }
        self.init(certificate)
    }
}

extension [UInt8] {
    fileprivate var x509: OpaquePointer? {
        withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            return d2i_X509(nil, &start, bytes.count)
        }
    }
}
