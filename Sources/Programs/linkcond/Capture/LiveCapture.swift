// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinkConditioning
import LinuxSystem
import Netlink
import PacketCapture

extension Linkcond.Capture {
    /// Captures packets until a signal arrives or a limit is reached.
    func runLive() throws {
        let network = try namespace.conditioner("capture").network
        let index = try interface.map { try number(of: $0, network) } ?? 0
        var options = CaptureSession.Options()
        options.snapLength = limits.snap ?? options.snapLength
        (options.filter, options.keepsSuperPackets) = (filter, limits.keepsSuperPackets)
        (options.count, options.duration) = (limits.count, limits.duration)
        let ring = try ring(index, options)
        // The files are created last, so that a usage error leaves no file.
        let files = try files()
        let signals = try SignalQueue([SIGINT, SIGTERM, SIGHUP])
        var line = PacketLine(style)
        let session = CaptureSession(
            ring,
            options,
            files: files,
            name: { index in
                (try? network.links())?.first { $0.index == index }.map { CapturedDevice($0.name) }
            },
            show: print || output == nil ? { Console.data(line.lines($0, $1)) } : nil
        )
        if let output, isatty(STDERR_FILENO) == 1 {
            Console.note("capturing \(interface ?? "all interfaces") to \(output); Ctrl-C ends it")
        }
        try report(session.run(stop: signals.descriptor))
    }

    private func number(of name: String, _ network: RouteConnection) throws -> Int32 {
        guard let link = try network.links().first(where: { $0.name == name }) else {
            let remedy = InterfaceNames.remedy(for: name)
            throw Failure(.notFound, "there is no interface \"\(name)\" in this network", remedy: remedy)
        }
        return link.index
    }

    private func ring(_ index: Int32, _ options: CaptureSession.Options) throws -> PacketRing {
        let filter =
            try options.filter.map { try PacketFilter($0, snapLength: options.snapLength) }
            ?? PacketFilter(snapLength: options.snapLength)
        do throws(SystemError) {
            return try PacketRing(interface: index, filter.withoutLoopbackCopies)
        } catch {
            guard error.code == EPERM else { throw Failure(.refusedByKernel, "\(error)") }
            // Inside a sandbox, sudo does not give the privilege.
            let isInside = getenv("LINKCOND_SOCKET") != nil
            let remedy = isInside ? "linkcond run --capture FILE" : "sudo linkcond capture"
            throw Failure(.notPermitted, "\(error)\ntry: \(remedy)")
        }
    }

    private func files() throws -> CaptureFiles? {
        switch output {
        case nil: nil
        case "-": CaptureFiles(descriptor: STDOUT_FILENO)
        case let path?: try CaptureFiles(path: path, limits.rotation ?? CaptureFiles.Rotation())
        }
    }

    private func report(_ summary: CaptureSession.Summary) throws {
        var words = "\(summary.packets) packets captured"
        if summary.counters.dropped > 0 {
            words += ", \(summary.counters.dropped) more dropped by the kernel, which had no room for them"
        }
        Console.note(words)
        let file = output.flatMap { $0 == "-" ? nil : $0 } ?? "standard output"
        switch summary.end {
        case .stopped, .limit, .failed(.readerGone): break
        case .interfaceGone:
            throw Failure(.notFound, "\(interface ?? "the interface") is gone or down; what was captured is kept")
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
