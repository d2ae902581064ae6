// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Netlink

@Suite struct FilterGoldenTests {
    static let recorded: Set<String> = [
        "clsact-add", "clsact-delete", "filter-add", "filter-replace", "filter-delete",
    ]

    /// IPv4 packets, by their EtherType.
    private static let program = [
        BPFInstruction(code: 40, constant: 12),
        BPFInstruction(code: 21, jumpTrue: 0, jumpFalse: 1, constant: 0x0800),
        BPFInstruction(code: 6, constant: .max),
        BPFInstruction(code: 6, constant: 0),
    ]

    private func filter(cookie: [UInt8]) -> RedirectFilter {
        RedirectFilter(
            link: 10,
            hook: .egress,
            preference: 50097,
            cookie: cookie,
            program: Self.program,
            target: 11
        )
    }

    @Test func makesTheHookAsTcDoes() throws {
        try expectSame(Qdisc.clsact(on: 10).add(on: "lane"), as: "clsact-add")
    }

    @Test func deletesTheHookAsTcDoes() throws {
        try expectSame(
            Qdisc.clsact(on: 10).delete(from: "lane"),
            as: "clsact-delete",
            exceptions: ["TCA_KIND": "handle and parent name the qdisc; tc_get_qdisc in net/sched/sch_api.c"]
        )
    }

    @Test func addsARedirectionAsTcDoes() throws {
        try expectSame(filter(cookie: Array("linkcond".utf8)).add(on: "lane"), as: "filter-add")
    }

    @Test func replacesARedirectionAsTcDoes() throws {
        try expectSame(
            filter(cookie: Array(0...15)).replace(on: "lane"),
            as: "filter-replace",
            // tc sends NLM_F_CREATE alone; a filter that exists is replaced unless NLM_F_EXCL forbids it.
            exceptions: ["nlmsghdr/flags": "NLM_F_REPLACE is not read by tc_new_tfilter (net/sched/cls_api.c)"]
        )
    }

    @Test func deletesAFilterByItsHandleAsTcDoes() throws {
        try expectSame(filter(cookie: []).delete(from: "lane"), as: "filter-delete")
    }
}
