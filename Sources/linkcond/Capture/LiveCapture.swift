// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import Glibc
import LinkConditioning
import LinuxSystem
import Netlink
import PacketCapture

/// Captures packets for `linkcond capture`, until a signal or a limit.
struct LiveCapture {
    private let command: Linkcond.Capture

    init(_ command: Linkcond.Capture) { self.command = command }

    func run() throws {
        let conditioner = try command.namespace.conditioner("capture")
        let network = conditioner.network
        let index = try command.interface.map { try number(of: $0, network) } ?? 0
        let limits = command.limits
        var options = CaptureSession.Options()
        options.snapLength = limits.snap ?? options.snapLength
        options.filter = command.filter
        options.keepsSuperPackets = limits.keepsSuperPackets
        (options.count, options.duration) = (limits.count, limits.duration)
        let ring = try ring(index, options)
        // Only now, so that a mistake leaves no file.
        let files = try files(limits.rotation)
        let signals = try Failure.catching { try SignalQueue([SIGINT, SIGTERM, SIGHUP]) }
        let printer = CapturePrinting(command.style)
        let shows = command.print || command.output == nil
        let session = CaptureSession(
            ring,
            options,
            files: files,
            name: { index in
                (try? network.links())?.first { $0.index == index }.map { CapturedDevice($0.name) }
            },
            show: shows ? { printer.show($0, $1) } : nil
        )
        if let output = command.output, isatty(STDERR_FILENO) == 1 {
            Console.note("capturing \(command.interface ?? "all interfaces") to \(output); Ctrl-C ends it")
        }
        try report(session.run(stop: signals.descriptor))
    }

    private func number(of name: String, _ network: RouteConnection) throws -> Int32 {
        let links = try Failure.catching { try network.links() }
        guard let link = links.first(where: { $0.name == name }) else {
            throw Failure(.notFound, "there is no interface \"\(name)\" in this network\ntry: ip link")
        }
        return link.index
    }

    private func ring(_ index: Int32, _ options: CaptureSession.Options) throws -> PacketRing {
        let filter: PacketFilter
        do throws(InvalidPacketFilter) {
            filter =
                try options.filter.map { text throws(InvalidPacketFilter) in
                    try PacketFilter(text, snapLength: options.snapLength)
                } ?? PacketFilter(snapLength: options.snapLength)
        } catch {
            throw Failure(.usage, "\(error)\ntry: \(error.remedy)")
        }
        do throws(SystemError) {
            return try PacketRing(interface: index, filter.withoutLoopbackCopies)
        } catch {
            guard error.code == EPERM else { throw Failure(.refusedByKernel, "\(error)") }
            // In a sandbox sudo gains nothing.
            let isInside = getenv("LINKCOND_SOCKET") != nil
            let remedy = isInside ? "linkcond run --capture FILE" : "sudo linkcond capture"
            throw Failure(.notPermitted, "\(error)\ntry: \(remedy)")
        }
    }

    private func files(_ rotation: CaptureFiles.Rotation?) throws -> CaptureFiles? {
        switch command.output {
        case nil: return nil
        case "-": return CaptureFiles(descriptor: STDOUT_FILENO)
        case let path?:
            return try Failure.catching { try CaptureFiles(path: path, rotation ?? CaptureFiles.Rotation()) }
        }
    }

    private func report(_ summary: CaptureSession.Summary) throws {
        var words = "\(summary.packets) packets captured"
        if summary.counters.dropped > 0 {
            words += ", \(summary.counters.dropped) more dropped by the kernel, which had no room for them"
        }
        Console.note(words)
        let file = command.output.flatMap { $0 == "-" ? nil : $0 } ?? "standard output"
        switch summary.end {
        case .stopped, .limit, .failed(.readerGone): break
        case .interfaceGone:
            let name = command.interface ?? "the interface"
            throw Failure(.notFound, "\(name) is gone or down; what was captured is kept")
        case .failed(.readerStalled):
            throw Failure(.inputOutput, "the reader of \(file) does not read; it lacks the last packets")
        case .failed(.refused(let number)):
            let reason = String(cString: strerror(number))
            throw Failure(.inputOutput, "cannot write \(file): \(reason); it can be read up to there")
        case .failed(.full(let reason)):
            throw Failure(.inputOutput, "cannot write \(file): \(reason); it can be read up to there")
        }
    }
}
