// SPDX-License-Identifier: Apache-2.0

/// The edge to the kernel, in bytes, so that tests can stand a scripted kernel in its place.
public protocol NetlinkTransport: AnyObject {
    /// Sends one request and gives the datagrams of the answer, up to its acknowledgement, error or end.
    ///
    /// - Throws: an error for what failed on the way; what the kernel refuses stands in the answer.
    func exchange(_ request: Request) throws(NetlinkError) -> [[UInt8]]
}
