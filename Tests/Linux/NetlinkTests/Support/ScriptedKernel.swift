// SPDX-License-Identifier: Apache-2.0

import CNetlink
import Glibc

@testable import Netlink

/// A kernel with scripted answers, one for each request.
final class ScriptedKernel: NetlinkTransport {
    private var answers: [[[UInt8]]]
    private(set) var requests: [Request] = []

    /// Answers each request with the datagrams at its place; the last answer serves all that follow.
    init(_ answers: [[UInt8]]...) {
        self.answers = answers
    }

    func exchange(_ request: Request) throws(NetlinkError) -> [[UInt8]] {
        requests.append(request)
        guard let answer = answers.first else { throw NetlinkError(operation: request.operation, code: ECONNRESET) }
        if answers.count > 1 { answers.removeFirst() }
        return answer
    }
}

extension ScriptedKernel {
    /// An acknowledgement, or with a code below zero a refusal, of `request`.
    ///
    /// - Parameter capped: whether only the request's header is given back (NETLINK_CAP_ACK).
    static func verdict(
        _ code: Int32,
        on request: Request,
        text: String? = nil,
        capped: Bool = true
    ) -> [UInt8] {
        let echo = capped ? request.bytes.prefix(MemoryLayout<nlmsghdr>.size) : request.bytes[...]
        let padding = [UInt8](repeating: 0, count: (4 - echo.count % 4) % 4)
        // NLMSGERR_ATTR_OFFS comes along with the text.
        let words = text.map { attribute(1, Array($0.utf8) + [0]) + attribute(2, [16, 0, 0, 0]) } ?? []
        return message(
            Int(NLMSG_ERROR),
            flags: (text == nil ? 0 : NLM_F_ACK_TLVS) | (capped ? NLM_F_CAPPED : 0),
            bytes(of: code) + echo + padding + words
        )
    }

    /// The end of a dump, with what became of it.
    static func done(_ code: Int32 = 0, flags: Int32 = 0, text: String? = nil) -> [UInt8] {
        let words = text.map { attribute(1, Array($0.utf8) + [0]) } ?? []
        return message(
            Int(NLMSG_DONE),
            flags: flags | NLM_F_MULTI | (text == nil ? 0 : NLM_F_ACK_TLVS),
            bytes(of: code) + words
        )
    }

    /// One interface of a dump.
    static func link(_ index: Int32, _ name: String, flags: Int32 = 0) -> [UInt8] {
        var header = ifinfomsg()
        header.ifi_index = index
        return message(
            Int(RTM_NEWLINK),
            flags: flags | NLM_F_MULTI,
            bytes(of: header) + attribute(Int(IFLA_IFNAME), Array(name.utf8) + [0])
        )
    }
}
