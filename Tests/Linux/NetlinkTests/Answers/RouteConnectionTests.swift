// SPDX-License-Identifier: Apache-2.0

import CNetlink
import Glibc
import Testing

@testable import Netlink

@Suite struct RouteConnectionTests {
    private let request = LinkRequest.addIFB("lc2r1u", queueLength: 1000)

    private func perform(_ answer: [UInt8]...) throws(NetlinkError) {
        try RouteConnection(ScriptedKernel(answer)).perform(request)
    }

    @Test func takesAnAcknowledgement() throws {
        try perform(ScriptedKernel.verdict(0, on: request))
        try perform(ScriptedKernel.verdict(0, on: request, capped: false))
    }

    @Test func takesAnAcknowledgementWithAWarning() throws {
        try perform(ScriptedKernel.verdict(0, on: request, text: "burst is lower than the device's MTU"))
    }

    @Test func saysWhatWasTriedAndTheErrorsMeaning() {
        let error = #expect(throws: NetlinkError.self) { try perform(ScriptedKernel.verdict(-EPERM, on: request)) }
        #expect(error == NetlinkError(operation: "add ifb lc2r1u", code: EPERM))
        #expect(error?.description == "cannot add ifb lc2r1u: Operation not permitted")
    }

    @Test(arguments: [true, false]) func throwsTheKernelsMessage(isCapped: Bool) {
        let text = "Exclusivity flag on, cannot modify"
        let error = #expect(throws: NetlinkError.self) {
            try perform(ScriptedKernel.verdict(-EEXIST, on: request, text: text, capped: isCapped))
        }
        #expect(error == NetlinkError(operation: "add ifb lc2r1u", code: EEXIST, kernelText: text))
        #expect(error?.description == "cannot add ifb lc2r1u: \(text) (File exists)")
    }

    /// Kernels without extended acknowledgements send only the request after the code.
    @Test func readsNoMessageFromTheEchoedRequest() {
        let error = #expect(throws: NetlinkError.self) {
            try perform(ScriptedKernel.verdict(-EINVAL, on: request, capped: false))
        }
        #expect(error?.kernelText == nil)
    }

    @Test func throwsErrorsOfTheTransport() {
        let error = #expect(throws: NetlinkError.self) { try RouteConnection(ScriptedKernel()).perform(request) }
        #expect(error?.code == ECONNRESET)
    }

    @Test func looksForARefusalInEveryMessage() {
        let error = #expect(throws: NetlinkError.self) {
            try perform(
                ScriptedKernel.link(1, "lo"),
                ScriptedKernel.link(2, "eth0") + ScriptedKernel.verdict(-ENODEV, on: request)
            )
        }
        #expect(error?.code == ENODEV)
    }

    /// No errno is that small, but negating it would end the process.
    @Test func survivesAnImpossibleCode() {
        let error = #expect(throws: NetlinkError.self) { try perform(ScriptedKernel.verdict(.min, on: request)) }
        #expect(error?.operation == request.operation)
    }

    @Test func saysWhenThereIsNoSuchInterface() {
        let kernel = ScriptedKernel([ScriptedKernel.verdict(0, on: request)])
        let error = #expect(throws: NetlinkError.self) { try RouteConnection(kernel).link(named: "eth7") }
        #expect(error?.description == NetlinkError(operation: "find the interface eth7", code: ENODEV).description)
        #expect(error?.missingInterface == "eth7")
    }
}
