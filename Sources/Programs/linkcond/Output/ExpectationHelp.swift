// SPDX-License-Identifier: Apache-2.0

import ClientVerdicts

/// `linkcond help expectations`
enum ExpectationHelp {
    /// What the examples mean, in their order.
    static let meanings = [
        "the command exits in that time, with any status", "the command exits with that status",
        "the first byte of an answer comes that soon after the first attempt, or after a label (of 'LABEL')",
        "each connection that gets no answer then is given up in that time",
        "what is open then is closed by the client in that time",
        "a byte of an answer comes that soon after the label, to a client that still waits for it",
        "no more connections in all, at the same time or one after the other",
        "no more connections are open at the same time",
        "no more attempts; what the kernel sends again for one does not count",
        "no more HTTP/1 requests in the clear", "no more DNS queries", "no more packets that carry data again",
        "no more bytes of IP packets, both ways; kB, MB and GB are decimal",
        "the waits between an attempt that failed and the next one grow, up to a cap",
        "no process that the command left holds a connection",
        "no request is sent again after its connection failed, unless that is safe",
        "where an attempt over IPv6 gets no answer, one over IPv4 to the same name begins that soon after it",
        "where QUIC or DNS over UDP gets no answer, TCP to the same peer begins that soon after it",
        "what DNS was asked for before the label is asked for again that soon after it",
        "a GET whose answer was interrupted is sent again with a Range for the rest only",
        "a QUIC connection of before the label goes on that soon after it, and no new one takes its place",
        "on no connection the client sends nothing for longer",
        "with --monitor: what it says of a target, and what the client gets from it, do not contradict each other",
    ]

    static var lines: [String] {
        let examples = zip(ClientExpectation.examples, meanings).flatMap { ["  \($0)", "      \($1)"] }
        return ["What can be expected of a client, in \"run --expect\", in scenarios, and in tests:", ""] + examples + [
            "",
            "A label, 'LABEL', is a step of a scenario or a mark (\"linkcond mark LABEL\"): \"of\" it for times, \"during\" it",
            "for numbers. \"to HOST:PORT\" after the subject counts one peer only: at most 3 requests to api.test:80.",
        ]
    }
}
