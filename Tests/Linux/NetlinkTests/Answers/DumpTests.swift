// SPDX-License-Identifier: Apache-2.0

import CNetlink
import Glibc
import Testing

@testable import Netlink

@Suite struct DumpTests {
    private func names(_ kernel: ScriptedKernel) throws(NetlinkError) -> [String] {
        try RouteConnection(kernel).links().map(\.name)
    }

    @Test func gathersEveryDatagram() throws {
        let kernel = ScriptedKernel([
            ScriptedKernel.link(1, "lo") + ScriptedKernel.link(2, "eth0"), ScriptedKernel.link(3, "eth1"),
            ScriptedKernel.done(),
        ])
        #expect(try names(kernel) == ["lo", "eth0", "eth1"])
        #expect(kernel.requests.count == 1)
    }

    @Test func repeatsAnInterruptedDump() throws {
        let kernel = ScriptedKernel(
            [ScriptedKernel.link(1, "lo", flags: NLM_F_DUMP_INTR), ScriptedKernel.done()],
            [ScriptedKernel.link(1, "lo"), ScriptedKernel.done(flags: NLM_F_DUMP_INTR)],
            [ScriptedKernel.link(1, "lo") + ScriptedKernel.link(2, "eth0"), ScriptedKernel.done()]
        )
        #expect(try names(kernel) == ["lo", "eth0"])
        #expect(kernel.requests.count == 3)
        #expect(Set(kernel.requests).count == 1)
    }

    @Test func failsIfEveryDumpIsInterrupted() {
        let kernel = ScriptedKernel([ScriptedKernel.link(1, "lo", flags: NLM_F_DUMP_INTR), ScriptedKernel.done()])
        let error = #expect(throws: NetlinkError.self) { try names(kernel) }
        #expect(error?.code == EINTR)
        #expect(error?.operation == "list the interfaces")
        #expect(error?.kernelText == "the dump was interrupted by changes 20 times")
        #expect(kernel.requests.count == 20)
    }

    @Test func takesTheErrorAtTheEnd() {
        let kernel = ScriptedKernel([ScriptedKernel.link(1, "lo"), ScriptedKernel.done(-ENOMEM)])
        let error = #expect(throws: NetlinkError.self) { try names(kernel) }
        #expect(error == NetlinkError(operation: "list the interfaces", code: ENOMEM))
    }

    @Test func takesTheMessageAtTheEnd() {
        let kernel = ScriptedKernel([
            ScriptedKernel.done(-EINVAL, text: "Invalid values in header for link dump request")
        ])
        let error = #expect(throws: NetlinkError.self) { try names(kernel) }
        #expect(error?.code == EINVAL)
        #expect(error?.kernelText == "Invalid values in header for link dump request")
    }

    @Test func ignoresMessagesOfOtherTypes() throws {
        let kernel = ScriptedKernel([
            message(Int(RTM_NEWQDISC), bytes(of: tcmsg())), message(Int(NLMSG_NOOP), []), ScriptedKernel.link(1, "lo"),
            ScriptedKernel.done(),
        ])
        #expect(try names(kernel) == ["lo"])
    }
}
