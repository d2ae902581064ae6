// SPDX-License-Identifier: Apache-2.0

import Glibc
public import LinkConditioning
public import LinkProfiles
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// A client of the supervisor of the sandbox that this process is in.
public struct ControlClient {
    private let path: String

    /// Connects to the socket at `path`.
    public init(path: String) {
        self.path = path
    }

    /// The sandbox that the environment names; nil outside of one.
    public static var ofThisSandbox: ControlClient? {
        getenv("LINKCOND_SOCKET").map { ControlClient(path: String(cString: $0)) }
    }

    /// The file that a test locks while it uses the link.
    package var turn: String { path[..<(path.lastIndex(of: "/") ?? path.startIndex)] + "/" + PrivateFiles.turn }

    /// Why a request to the supervisor failed.
    public struct Refusal: Error {
        /// The kind; nil if there was no valid answer.
        public let kind: ControlAPI.Refusal?
        /// The message for the user.
        public let message: String
    }

    /// Reads the sandbox's state.
    public func status() throws(Refusal) -> StatusReport {
        let answer = try exchange(.GET, ControlAPI.statusPath, body: [])
        guard let report = StatusReport(json: answer) else {
            throw Refusal(kind: nil, message: "this sandbox's supervisor is another version of linkcond")
        }
        return report
    }

    /// The packets that are on the link: they wait in a queue, or for their delay.
    package func heldPackets() throws(Refusal) -> Int {
        let lanes = try status().devices.flatMap(\.rules).flatMap(\.lanes)
        return Int(clamping: lanes.reduce(0) { $0 &+ ($1.counters?.heldPackets ?? 0) })
    }

    /// Replaces the conditions in effect by `profile`.
    public func change(to profile: Profile) throws(Refusal) {
        _ = try exchange(.PUT, ControlAPI.conditionsPath, body: Array(profile.json.text.utf8))
    }

    /// Reads the profile that was last put, or that a step of a scenario brought into effect; nil before the first.
    public func conditions() throws(Refusal) -> Profile? {
        let answer = try exchange(.GET, ControlAPI.conditionsPath, body: [])
        if case .null = answer.value { return nil }
        do {
            return try Profile(json: answer)
        } catch {
            throw Refusal(kind: nil, message: "this sandbox's supervisor is another version of linkcond")
        }
    }

    /// Replaces the conditions in effect by those of the profile that the supervisor knows by this name.
    public func change(toProfileNamed name: String) throws(Refusal) {
        _ = try exchange(.PUT, ControlAPI.conditionsPath, body: Array(JSON(.string(name)).text.utf8))
    }

    /// Plays a scenario from now on, until ``endScenario()``. Its profiles are found by the supervisor.
    package func play(_ scenario: Scenario) throws(Refusal) {
        _ = try exchange(.PUT, ControlAPI.scenarioPath, body: Array(scenario.json.text.utf8))
    }

    /// Ends the scenario. The conditions in effect stay.
    ///
    /// - Returns: which steps never began, or failed, and why.
    package func endScenario() throws(Refusal) -> [String] {
        try exchange(.DELETE, ControlAPI.scenarioPath, body: []).required("notes") ?? []
    }

    /// Has the supervisor observe this network from now on, if it does not yet.
    package func observe() throws(Refusal) {
        _ = try exchange(.POST, ControlAPI.observationPath, body: [])
    }

    /// The capture of the run and its record, as far as they are written.
    package func observation() throws(Refusal) -> (capture: [UInt8], record: [UInt8]) {
        (try file(ControlAPI.capturePath), try file(ControlAPI.recordPath))
    }

    private func file(_ uri: String) throws(Refusal) -> [UInt8] {
        let (status, bytes) = try answer(.GET, uri, body: [])
        guard status == 200 else {
            throw Self.refusal(try? JSON(utf8: bytes), status)
        }
        return bytes
    }

    /// Tells that this process has reached the point `name`. Returns when the conditions of a step that waited for the
    /// mark are in effect.
    public func mark(_ name: String) throws(Refusal) {
        _ = try exchange(.POST, ControlAPI.marksPath, body: Array(JSON(("name", .text(name))).text.utf8))
    }

    private func exchange(_ method: HTTPMethod, _ uri: String, body: [UInt8]) throws(Refusal) -> JSON {
        let (status, bytes) = try answer(method, uri, body: body)
        if status == 204 { return JSON(.null) }
        guard let json = try? JSON(utf8: bytes) else {
            throw Refusal(kind: nil, message: "\(path) is not linkcond's control socket")
        }
        guard status == 200 else { throw Self.refusal(json, status) }
        return json
    }

    private static func refusal(_ answer: JSON?, _ status: UInt) -> Refusal {
        let kind = answer?["kind"]?.string.flatMap { ControlAPI.Refusal(rawValue: $0) }
        return Refusal(kind: kind, message: answer?["error"]?.string ?? "the supervisor answered \(status)")
    }

    private func answer(_ method: HTTPMethod, _ uri: String, body: [UInt8]) throws(Refusal) -> (UInt, [UInt8]) {
        do {
            return try send(method, uri, body)
        } catch let error as IOError where error.errnoCode == EACCES {
            throw Refusal(kind: .forbidden, message: "this is another user's sandbox")
        } catch let error as IOError {
            throw Refusal(kind: nil, message: "cannot reach \(path): \(String(cString: strerror(error.errnoCode)))")
        } catch {
            throw Refusal(kind: nil, message: "cannot reach \(path): \(error)")
        }
    }

    private func send(_ method: HTTPMethod, _ uri: String, _ body: [UInt8]) throws -> (UInt, [UInt8]) {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        defer { try? group.syncShutdownGracefully() }
        let answer = group.next().makePromise(of: (UInt, [UInt8]).self)
        let channel: any NIOCore.Channel
        do {
            channel = try ClientBootstrap(group: group)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHTTPClientHandlers()
                        try channel.pipeline.syncOperations.addHandler(AnswerCollector(answer))
                    }
                }
                .connect(unixDomainSocketPath: path).wait()
        } catch {
            answer.fail(error)
            throw error
        }
        let headers = HTTPHeaders([
            ("Host", "linkcond"), ("Content-Type", "application/json"), ("Content-Length", String(body.count)),
            ("Connection", "close"),
        ])
        let head = HTTPRequestHead(version: .http1_1, method: method, uri: uri, headers: headers)
        channel.write(HTTPClientRequestPart.head(head), promise: nil)
        channel.write(HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(bytes: body))), promise: nil)
        channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
        return try answer.futureResult.wait()
    }
}

extension JSON {
    /// The value if it is a string; `text` is the value as JSON.
    fileprivate var string: String? {
        if case .string(let text) = value { text } else { nil }
    }
}

/// Collects one answer.
private final class AnswerCollector: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private let answer: EventLoopPromise<(UInt, [UInt8])>
    private var status: UInt = 0
    private var body: [UInt8] = []

    init(_ answer: EventLoopPromise<(UInt, [UInt8])>) {
        self.answer = answer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): status = head.status.code
        case .body(var bytes): body += bytes.readBytes(length: bytes.readableBytes) ?? []
        case .end: answer.succeed((status, body))
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        // Has no effect if the answer is complete.
        answer.fail(ChannelError.eof)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        answer.fail(error)
        context.close(promise: nil)
    }
}
