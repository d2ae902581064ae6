// SPDX-License-Identifier: Apache-2.0

import Glibc
import Netlink
import Testing

@testable import Probing

@Suite struct KernelAnswerTests {
    private static let target = IPAddress(literal: "192.0.2.1")

    @Test(arguments: [EMFILE, ENFILE, ENOBUFS, ENOMEM, EADDRNOTAVAIL, EAGAIN])
    func neverHoldsItsOwnWantAgainstTheTarget(_ number: Int32) {
        #expect(KernelAnswer.atOnce(number, to: Self.target) == .nothing(.resources))
        #expect(KernelAnswer.later(number, after: .seconds(1)) == .nothing(.resources))
    }

    @Test func takesAFirewallOfItsOwnHostForAPermission() {
        #expect(KernelAnswer.atOnce(EPERM, to: Self.target) == .nothing(.permission))
    }

    @Test func readsRoutesFromWhatComesAtOnceAndRoutersFromWhatComesLater() {
        #expect(KernelAnswer.atOnce(EHOSTUNREACH, to: Self.target) == .impossible(.routeUnreachable))
        #expect(KernelAnswer.later(EHOSTUNREACH, after: .milliseconds(1)) == .failed(.hostUnreachable))
        #expect(KernelAnswer.later(EHOSTUNREACH, after: .seconds(3)) == .failed(.neighbourUnresolved))
        #expect(KernelAnswer.atOnce(ENETUNREACH, to: Self.target) == .impossible(.noRoute))
        #expect(KernelAnswer.later(ENETUNREACH, after: .milliseconds(1)) == .failed(.netUnreachable))
        #expect(KernelAnswer.later(ECONNRESET, after: .zero) == .failed(.reset))
    }

    @Test func knowsAMissingFamilyFromATargetThatDoesNotAnswer() {
        #expect(KernelAnswer.atOnce(EAFNOSUPPORT, to: Self.target) == .impossible(.familyUnsupported))
        #expect(KernelAnswer.atOnce(EPROTONOSUPPORT, to: Self.target) == .impossible(.familyUnsupported))
        #expect(KernelAnswer.socket(EAFNOSUPPORT, to: Self.target) == .impossible(.familyUnsupported))
        #expect(KernelAnswer.socket(EACCES, to: Self.target) == .nothing(.permission))
        // A socket that exists has a family: later the number means nothing known.
        let unknown = Reason(.monitor, "errno\(EAFNOSUPPORT)")
        #expect(KernelAnswer.later(EAFNOSUPPORT, after: .zero) == .nothing(unknown))
        #expect(KernelAnswer.unixSocket(EAFNOSUPPORT, after: .zero) == .nothing(unknown))
    }

    @Test func knowsPacketsThatAreTooBig() {
        #expect(KernelAnswer.atOnce(EMSGSIZE, to: Self.target) == .failed(.tooBig))
        #expect(KernelAnswer.later(EMSGSIZE, after: .seconds(1)) == .failed(.tooBig))
    }

    @Test(arguments: [(0, false), (2000, false), (2499, false), (2500, true), (2501, true), (3000, true)])
    func blamesTheNeighbourAfterTwoAndAHalfSeconds(milliseconds: Int, isNeighbour: Bool) {
        let reason: Reason = isNeighbour ? .neighbourUnresolved : .hostUnreachable
        for number in [EHOSTUNREACH, EHOSTDOWN] {
            #expect(KernelAnswer.later(number, after: .milliseconds(milliseconds)) == .failed(reason))
        }
    }

    @Test func readsRouteLookups() {
        #expect(KernelAnswer.routeLookup(EINVAL, hasText: false) == .routeBlackhole)
        #expect(KernelAnswer.routeLookup(EINVAL, hasText: true) == nil)
        #expect(KernelAnswer.routeLookup(ENODEV, hasText: false) == .interfaceMissing)
        #expect(KernelAnswer.routeLookup(EMSGSIZE, hasText: false) == nil)
    }

    @Test func learnsNothingFromNumbersItDoesNotKnow() {
        #expect(KernelAnswer.atOnce(EDOM, to: Self.target) == .nothing(Reason(.monitor, "errno\(EDOM)")))
        #expect(KernelAnswer.later(EDOM, after: .zero) == .nothing(Reason(.monitor, "errno\(EDOM)")))
    }

    @Test func tellsTheOwnHostsWordFromARouters() {
        let error = Observation.ICMPError(type: 3, code: 1)
        #expect(Reason(icmp: error, .ipv4, isFromHere: true) == .neighbourUnresolved)
        #expect(Reason(icmp: error, .ipv4, isFromHere: false) == .hostUnreachable)
    }

    @Test func knowsErrorsFromOtherMessages() {
        for type in UInt8.min...UInt8.max {
            for family in IPAddress.Family.allCases {
                let isError = family == .ipv4 ? [3, 11, 12].contains(type) : (1...4).contains(type)
                let error = Observation.ICMPError(type: type, code: 77)
                #expect((Reason(icmp: error, family, isFromHere: false) != nil) == isError)
            }
        }
    }
}
