// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem

/// The rest of an answer that comes piece by piece.
package protocol HTTPBody: AnyObject {
    /// Writes the next piece. Called at the start, and whenever the piece before is written.
    func advance()
    /// Writes no more: the connection is closed.
    func stop()
}

/// A client's connection to a server of HTTP/1.1, on an event loop.
///
/// Requests are answered in their order: the next one is read when the answer before has ended, and the kernel has accepted
/// it. A request that is malformed is answered with 400, and the connection closed.
package final class HTTPConnection: StreamReceiver {
    /// At most this much is received while a request waits for its answer; then the client waits.
    private static let readSize = 64 << 10

    package let loop: EventLoop
    private let respond: (HTTPRequest, HTTPConnection) -> Void
    private let whenClosed: (HTTPConnection) -> Void
    private var stream: StreamConnection?
    private var parser: HTTPRequestParser
    /// Bytes that were received and not parsed yet.
    private var input: [UInt8] = []
    /// The request that waits for its answer, or for its end.
    private var request: HTTPRequest?
    private var body: (any HTTPBody)?
    private var isChunked = false
    private var closesAfterAnswer = false
    private var isProceeding = false
    private var hasEndedInput = false

    /// Owns `descriptor` from now on.
    ///
    /// - Parameter respond: answers a request, at once or later.
    init(
        _ descriptor: CInt,
        on loop: EventLoop,
        longestBody: Int,
        respond: @escaping (HTTPRequest, HTTPConnection) -> Void,
        whenClosed: @escaping (HTTPConnection) -> Void
    ) throws(SystemError) {
        (self.loop, self.respond, self.whenClosed) = (loop, respond, whenClosed)
        parser = HTTPRequestParser(longestBody: longestBody)
        let stream = try StreamConnection(descriptor, on: loop, readSize: Self.readSize, receiver: self)
        self.stream = stream
        stream.isReading = true
    }

    package var isOpen: Bool { stream != nil }

    /// The open socket; nil once it is closed.
    package var descriptor: CInt? { stream?.descriptor }

    /// Whether the kernel has accepted all that was written.
    package var isWritable: Bool { stream?.isWritable == true }

    /// Sends a whole answer. A field of its length is the caller's, as some have no body.
    ///
    /// - Parameter closes: whether to close the connection after it, as the client may wish, too.
    package func answer(_ status: Int, _ fields: [(String, String)], body: [UInt8] = [], closes: Bool = false) {
        guard let request, self.body == nil else { return }
        closesAfterAnswer = closes || !request.isKeptAlive
        let closing = closesAfterAnswer ? [("Connection", "close")] : []
        // The answer to HEAD has the fields of the body, and no body.
        stream?.write(Self.head(status, fields + closing) + (request.method == "HEAD" ? [] : body))
        end()
    }

    /// Begins an answer whose pieces `body` writes: in chunks, unless `fields` have the length of all. Then the connection is
    /// closed after it.
    package func begin(_ status: Int, _ fields: [(String, String)], length: Int? = nil, body: any HTTPBody) {
        guard request != nil, self.body == nil else { return }
        self.body = body
        isChunked = length == nil
        closesAfterAnswer = !isChunked
        let end = isChunked ? ("transfer-encoding", "chunked") : ("Connection", "close")
        stream?.write(Self.head(status, fields + [end]))
        body.advance()
    }

    /// Writes a piece of the body, after which `advance` of the body is called.
    package func write(_ bytes: ArraySlice<UInt8>) {
        guard !bytes.isEmpty else { return }
        if isChunked {
            stream?.write(Array((String(bytes.count, radix: 16) + "\r\n").utf8) + bytes + Array("\r\n".utf8))
        } else {
            stream?.write(Array(bytes))
        }
        stream?.tellWhenDrained()
    }

    /// Ends the answer.
    ///
    /// - Parameter closes: whether to close the connection after it.
    package func end(closes: Bool = false) {
        guard request != nil else { return }
        if closes { closesAfterAnswer = true }
        if isChunked { stream?.write(Array("0\r\n\r\n".utf8)) }
        (request, body, isChunked) = (nil, nil, false)
        if closesAfterAnswer { stream?.closeWhenDrained() } else { proceed() }
    }

    /// Closes the connection at once.
    package func close() { stream?.close() }

    private static func head(_ status: Int, _ fields: [(String, String)]) -> [UInt8] {
        let lines = ["HTTP/1.1 \(status) \(HTTPStatus.name(of: status))"] + fields.map { "\($0): \($1)" } + ["", ""]
        return Array(lines.joined(separator: "\r\n").utf8)
    }

    /// Answers the requests that were received.
    private func proceed() {
        // An answer that comes at once ends in the loop below.
        guard !isProceeding else { return }
        isProceeding = true
        defer { isProceeding = false }
        do throws(HTTPRequestParser.Malformation) {
            var rest = input[...]
            input = []
            while request == nil, !closesAfterAnswer, let stream, stream.isWritable, let next = try parser.next(&rest) {
                request = next
                respond(next, self)
            }
            input = Array(rest)
        } catch {
            closesAfterAnswer = true
            stream?.write(Self.head(400, [("Connection", "close"), ("Content-Length", "0")]))
            stream?.closeWhenDrained()
        }
        guard let stream, !closesAfterAnswer else { return }
        stream.isReading = input.count < Self.readSize
        // Every request of the client is answered.
        if hasEndedInput, request == nil, stream.isWritable { stream.closeWhenDrained() }
    }

    package func receive(_ bytes: UnsafeRawBufferPointer, from connection: StreamConnection) {
        input.append(contentsOf: bytes)
        proceed()
    }

    package func inputHasEnded(of connection: StreamConnection) {
        hasEndedInput = true
        // An answer without an end is of no use to a client that has left, which its end of the connection does not tell from
        // one that has asked its last.
        if isChunked { connection.close() } else { proceed() }
    }

    package func outputHasDrained(of connection: StreamConnection) {
        if let body { body.advance() } else { proceed() }
    }

    package func hasClosed(_ connection: StreamConnection, error: CInt?) {
        stream = nil
        body?.stop()
        (request, body) = (nil, nil)
        whenClosed(self)
    }
}
