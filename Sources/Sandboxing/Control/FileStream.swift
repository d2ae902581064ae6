// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import NIOCore
internal import NIOHTTP1

/// An answer that is a file as it is now: the capture of the run, or its events. Used on the connection's event loop only.
final class FileStream {
    private let descriptor: CInt
    private let context: ChannelHandlerContext
    private let size: Int
    private var offset = 0
    private let progress: () -> Void

    /// The size of one write: no more is held for a client that reads slowly.
    private static let piece = 64 << 10

    /// An answer with the bytes that `descriptor` has now.
    ///
    /// - Parameter progress: is called whenever the client has taken a piece.
    init(_ descriptor: CInt, _ context: ChannelHandlerContext, progress: @escaping () -> Void) {
        (self.descriptor, self.context, self.progress) = (descriptor, context, progress)
        var facts = stat()
        size = fstat(descriptor, &facts) == 0 ? Int(facts.st_size) : 0
    }

    /// Sends the file, each piece when the one before is written, and then closes the connection.
    func begin() {
        let headers = HTTPHeaders([
            ("Content-Type", "application/octet-stream"), ("Content-Length", String(size)),
            ("Cache-Control", "no-store"), ("Connection", "close"),
        ])
        context.write(.head(HTTPResponseHead(version: .http1_1, status: .ok, headers: headers)))
        advance()
    }

    private func advance() {
        progress()
        guard offset < size else {
            let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
            return context.writeAndFlush(.end(nil)).whenComplete { _ in bound.value.close(promise: nil) }
        }
        var bytes = [UInt8](repeating: 0, count: min(Self.piece, size - offset))
        let count = pread(descriptor, &bytes, bytes.count, offset)
        // The length has been announced: a file that is cut meanwhile ends the connection.
        guard count > 0 else { return context.close(promise: nil) }
        offset += count
        let stream = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.writeAndFlush(.body(.byteBuffer(ByteBuffer(bytes: bytes[..<count])))).whenSuccess {
            stream.value.advance()
        }
    }
}
