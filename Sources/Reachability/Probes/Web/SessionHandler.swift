// SPDX-License-Identifier: Apache-2.0

import Glibc
import NIOCore
import NIOSSL
import Netlink

/// Sits after TLS: judges the certificate of the server, and lets the request go only then.
final class SessionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let tls: NIOSSLClientHandler
    private let session: SessionContexts.Entry
    private let name: String
    private let host: String?
    private let exchange: Exchange

    private init(_ session: SessionContexts.Entry, exchange: Exchange) throws {
        self.session = session
        self.exchange = exchange
        name =
            switch exchange.question {
            case .session(let name): name
            case .web(let question): question.host
            }
        // Only names of hosts are sent, without a dot at the end (RFC 6066, section 3).
        host = IPAddress(name) != nil ? nil : name.hasSuffix(".") ? String(name.dropLast()) : name
        tls = try NIOSSLClientHandler(context: session.context, serverHostname: host)
    }

    /// Adds TLS, and itself.
    static func add(
        to pipeline: ChannelPipeline.SynchronousOperations,
        _ session: SessionContexts.Entry,
        exchange: Exchange
    ) throws {
        let handler = try SessionHandler(session, exchange: exchange)
        try pipeline.addHandler(handler.tls)
        try pipeline.addHandler(handler)
    }

    func channelActive(context: ChannelHandlerContext) {
        exchange.enter(.tls)
        // An empty write is done as soon as the session stands: the event that says so is of a module of its own.
        context.writeAndFlush(wrapOutboundOut(ByteBuffer())).assumeIsolated().whenSuccess {
            self.sessionStands(context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if SessionFailure(error) == .certificate {
            reject(isTrusted: false)
        } else {
            context.fireErrorCaught(error)
        }
    }

    private func sessionStands(_ context: ChannelHandlerContext) {
        exchange.observation.tlsVersion = tls.tlsVersion.map(Self.text)
        guard !reject(isTrusted: true) else { return }
        if case .session = exchange.question {
            let isChecked = tls.tlsVersion != .tlsv13
            if isChecked { exchange.finish(.answered(exchange.elapsed)) } else { exchange.answerUnlessRefused() }
        } else {
            context.fireChannelActive()
        }
    }

    /// Ends the probe if the certificate is not good.
    @discardableResult
    private func reject(isTrusted: Bool) -> Bool {
        let certificate = (try? tls.peerCertificate?.toDERBytes()).flatMap { Certificate($0) }
        exchange.observation.certificateEnd = certificate?.notAfter
        let now = Int64(time(nil))
        guard let fault = CertificateFault(certificate, isTrusted: isTrusted, name: name, now: now) else {
            return false
        }
        exchange.observation.detail = fault.detail
        if fault.reason != .tlsUntrusted {
            exchange.finish(.failed(fault.reason))
        } else if certificate?.isSelfIssued == true {
            exchange.finish(session.hasAllRoots ? .failed(fault.reason) : .nothing(.noTrustRoots))
        } else {
            let otherwise = session.hasAllRoots ? Evidence.Finding.failed(fault.reason) : .nothing(.noTrustRoots)
            exchange.lookAtChain(session.context, host: host, else: otherwise)
        }
        return true
    }

    private static func text(_ version: TLSVersion) -> String {
        switch version {
        case .tlsv1: "TLSv1"
        case .tlsv11: "TLSv1.1"
        case .tlsv12: "TLSv1.2"
        case .tlsv13: "TLSv1.3"
        @unknown default: "unknown"
        }
    }
}
