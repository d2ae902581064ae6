// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem

/// A source of a response's body, in pieces.
package protocol HTTPBody: AnyObject {
    /// Writes the next piece. Called at the start, and whenever the kernel has accepted the previous piece.
    func advance()
    /// Called when the connection is closed: stop writing.
    func stop()
}

/// A client's connection to an HTTP/1.1 server, on an event loop.
///
/// Requests are answered in order: the next one is read once the response to the previous one has ended and the kernel
/// has accepted it. A malformed request is answered with 400, and the connection is closed.
package final class HTTPConnection: StreamReceiver {
    package let loop: EventLoop
    /// The user at the other end, for a server that has found it out.
    package var user: UInt32?
    private let readAhead: Int
    private let respond: (HTTPRequest, HTTPConnection) -> Void
    private let whenClosed: (HTTPConnection) -> Void
    private var stream: StreamConnection?
    private var parser: HTTPRequestParser
    /// Bytes that have been received but not yet parsed.
    private var input: [UInt8] = []
    /// The request whose response has not begun or not ended.
    private var request: HTTPRequest?
    private var body: (any HTTPBody)?
    private var isChunked = false
    private var closesAfterAnswer = false
    private var isProceeding = false
    private var hasEndedInput = false

    /// Takes ownership of `descriptor`.
    ///
    /// - Parameters:
    ///   - readAhead: the number of bytes received while a request waits for its response; beyond that, the client has
    ///     to wait.
    ///   - respond: responds to a request, at once or later.
    init(
        _ descriptor: CInt,
        on loop: EventLoop,
        longestBody: Int,
        readAhead: Int,
        respond: @escaping (HTTPRequest, HTTPConnection) -> Void,
        whenClosed: @escaping (HTTPConnection) -> Void
    ) throws(SystemError) {
        (self.loop, self.readAhead, self.respond, self.whenClosed) = (loop, readAhead, respond, whenClosed)
        parser = HTTPRequestParser(longestBody: longestBody)
        let stream = try StreamConnection(descriptor, on: loop, readSize: readAhead, receiver: self)
        self.stream = stream
        stream.isReading = true
    }

    package var isOpen: Bool { stream != nil }

    /// The open socket; nil once it is closed.
    package var descriptor: CInt? { stream?.descriptor }

    /// Whether the kernel has accepted all bytes written.
    package var isWritable: Bool { stream?.isWritable == true }

    /// Sends a complete response. The caller supplies Content-Length in `fields` if needed, as some responses have no
    /// body.
    ///
    /// - Parameter closes: whether to close the connection after the response; the client's request may also demand
    ///   that.
    package func answer(_ status: Int, _ fields: [(String, String)], body: [UInt8] = [], closes: Bool = false) {
        guard let request, self.body == nil else { return }
        closesAfterAnswer = closes || !request.isKeptAlive
        let closing = closesAfterAnswer ? [("Connection", "close")] : []
        // The response to HEAD has the fields of a body, but no body.
        stream?.write(Self.head(status, fields + closing) + (request.method == "HEAD" ? [] : body))
        end()
    }

    /// Starts a response whose pieces `body` writes. Without `length`, they are sent as chunks; with it, `fields` have
    /// the length, and the connection is closed after the response.
    package func begin(_ status: Int, _ fields: [(String, String)], length: Int? = nil, body: any HTTPBody) {
        guard request != nil, self.body == nil else { return }
        self.body = body
        isChunked = length == nil
        closesAfterAnswer = !isChunked
        let end = isChunked ? ("transfer-encoding", "chunked") : ("Connection", "close")
        stream?.write(Self.head(status, fields + [end]))
        body.advance()
    }

    /// Writes a piece of the body; the body's `advance` is called once the kernel has accepted it.
    package func write(_ bytes: ArraySlice<UInt8>) {
        guard !bytes.isEmpty else { return }
        if isChunked {
            stream?.write(Array((String(bytes.count, radix: 16) + "\r\n").utf8) + bytes + Array("\r\n".utf8))
        } else {
            stream?.write(Array(bytes))
        }
        stream?.tellWhenDrained()
    }

    /// Ends the response.
    ///
    /// - Parameter closes: whether to close the connection after the response.
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
        // A response that is given at once returns here; the loop below then continues with the next request.
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
        stream.isReading = input.count < readAhead
        // The client has sent its last request, and all are answered.
        if hasEndedInput, request == nil, stream.isWritable { stream.closeWhenDrained() }
    }

    package func receive(_ bytes: UnsafeRawBufferPointer, from connection: StreamConnection) {
        input.append(contentsOf: bytes)
        proceed()
    }

    package func inputHasEnded(of connection: StreamConnection) {
        hasEndedInput = true
        // Close during a chunked response, which may be endless: the end of input does not show whether the client has
        // left or has only sent its last request.
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
