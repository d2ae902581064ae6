// SPDX-License-Identifier: Apache-2.0

/// Sends encoded requests to the kernel; tests replace it by a scripted kernel.
public protocol NetlinkTransport: AnyObject {
    /// Sends one request and returns the datagrams of the answer, up to its acknowledgement, error or end.
    ///
    /// - Throws: an error of the transport; errors of the kernel are part of the answer.
    func exchange(_ request: Request) throws(NetlinkError) -> [[UInt8]]
}
