// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
import Glibc

/// Sends encoded requests to the kernel; tests replace it by a scripted kernel.
package protocol NetlinkTransport: AnyObject {
    /// Sends one request and returns the datagrams of the answer, up to its acknowledgement, error or end.
    ///
    /// - Throws: an error of the transport; errors of the kernel are part of the answer.
    func exchange(_ request: Request) throws(NetlinkError) -> [[UInt8]]
}

/// Sends requests over a transport; errors of the kernel are thrown with a description of the operation.
public struct RouteConnection {
    private let transport: any NetlinkTransport

    package init(_ transport: any NetlinkTransport) {
        self.transport = transport
    }

    /// Performs `request`; throws the kernel's error.
    package func perform(_ request: Request) throws(NetlinkError) {
        _ = try replies(to: request)
    }

    /// Returns the messages of the answer: one object, or a dump.
    func replies(to request: Request) throws(NetlinkError) -> [Reply] {
        // The kernel marks a dump that was interrupted by a change; repeat the request until a dump is consistent.
        for _ in 0..<Self.dumpAttempts {
            if let replies = try attempt(request) { return replies }
        }
        throw NetlinkError(
            operation: request.operation,
            code: EINTR,
            kernelText: "the dump was interrupted by changes \(Self.dumpAttempts) times"
        )
    }

    private static let dumpAttempts = 20

    /// Returns the answer; nil if a change interrupted the dump.
    private func attempt(_ request: Request) throws(NetlinkError) -> [Reply]? {
        var replies: [Reply] = []
        var isInterrupted = false
        for message in try transport.exchange(request).lazy.flatMap({ MessageSequence($0) }) {
            isInterrupted = isInterrupted || message.flags & UInt16(NLM_F_DUMP_INTR) != 0
            switch message.type {
            case Int(NLMSG_ERROR), Int(NLMSG_DONE): try Self.check(message, request.operation)
            default: replies.append(message)
            }
        }
        return isInterrupted ? nil : replies
    }

    /// Throws the error of an error message; the code zero is an acknowledgement.
    private static func check(_ message: Reply, _ operation: String) throws(NetlinkError) {
        guard let code = message.body.load(Int32.self), code < 0 else { return }
        var attributes = message.body.dropFirst(MemoryLayout<Int32>.size)
        if message.type == Int(NLMSG_ERROR) {
            // The header of the request follows, and the whole request unless the message is capped.
            let echo = message.body.load(nlmsghdr.self, at: 4).map { Int($0.nlmsg_len) } ?? 0
            let isCapped = message.flags & UInt16(NLM_F_CAPPED) != 0
            attributes = attributes.dropFirst(isCapped ? MemoryLayout<nlmsghdr>.size : (echo + 3) & ~3)
        }
        let text =
            message.flags & UInt16(NLM_F_ACK_TLVS) != 0
            ? AttributeReader(attributes).text(Int(NLMSGERR_ATTR_MSG.rawValue)) : nil
        throw NetlinkError(operation: operation, code: CInt(clamping: code.magnitude), kernelText: text)
    }
}
