// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1

/// Sends one HTTP request, and judges the answer (RFC 9112).
final class WebHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let question: HTTPQuestion
    private let exchange: Exchange
    private var answer: WebAnswer?

    private init(_ question: HTTPQuestion, exchange: Exchange) {
        self.question = question
        self.exchange = exchange
    }

    /// Adds the encoding, and itself.
    static func add(
        to pipeline: ChannelPipeline.SynchronousOperations,
        _ question: HTTPQuestion,
        exchange: Exchange
    ) throws {
        try pipeline.addHandler(FirstByteHandler(exchange: exchange))
        try pipeline.addHandler(HTTPRequestEncoder())
        try pipeline.addHandler(ByteToMessageHandler(HTTPResponseDecoder()))
        try pipeline.addHandler(WebHandler(question, exchange: exchange))
    }

    func channelActive(context: ChannelHandlerContext) {
        exchange.enter(.processing)
        let headers = HTTPHeaders([
            ("Host", question.authority), ("User-Agent", "linkcond/1"), ("Accept", "*/*"), ("Connection", "close"),
        ])
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: question.requestTarget, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            exchange.observation.status = Int(head.status.code)
            exchange.observation.location = head.headers.first(name: "Location")
            answer = WebAnswer(to: question, status: Int(head.status.code))
        case .body(let bytes):
            answer?.add(bytes.readableBytesView)
        case .end:
            answer?.isComplete = true
        }
        switch answer?.judgement {
        case .good: exchange.finish(.answered(exchange.elapsed))
        case .bad(let reason): exchange.finish(.failed(reason))
        case .open, nil: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        // The end came before that of the answer.
        case HTTPParserError.invalidEOFState: exchange.ended()
        case is HTTPParserError: exchange.finish(.failed(.malformed))
        default: context.fireErrorCaught(error)
        }
    }
}

/// Sits before the decoding of HTTP: an answer begins with its first byte.
private final class FirstByteHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let exchange: Exchange

    init(exchange: Exchange) {
        self.exchange = exchange
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        exchange.enter(.transfer)
        context.fireChannelRead(data)
    }
}
