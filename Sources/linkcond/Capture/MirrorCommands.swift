// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import LinuxSystem
import PacketMirror

/// Starts, lists and ends mirrors for `linkcond capture`.
struct MirrorCommands {
    private let command: Linkcond.Capture

    init(_ command: Linkcond.Capture) { self.command = command }

    func run() throws {
        do throws(MirrorError) {
            if let name = command.mirror.name {
                try start(name)
            } else if let name = command.mirror.stopped {
                try Mirrors.stop(name)
                Console.note("ended \(name)")
            } else {
                show(try Mirrors.all())
            }
        } catch {
            throw Failure(error)
        }
    }

    private func start(_ text: String) throws(MirrorError) {
        let name = try MirrorName(text, isReserved: LaneDevices.contains(kind: "tun", name: text, alias: nil))
        let source = MirrorSource(interface: command.interface, network: command.namespace.namespace)
        let process = try MirrorProcess.start(
            name,
            source,
            keepsSuperPackets: command.limits.keepsSuperPackets,
            isOurs: LaneDevices.contains
        )
        Console.notes(
            """
            \(text) shows \(source) (process \(process.process))
            watch it: tcpdump -i \(text)
            end it: linkcond capture --stop \(text)
            """
        )
        process.confirm()
    }

    private func show(_ mirrors: [Mirrors.Found]) {
        if command.mirror.json { return Console.data(JSON.list(mirrors.map(\.json))) }
        guard !mirrors.isEmpty else { return Console.note("no mirrors in this network") }
        var table = Table(header: ["NAME", "SOURCE", "PACKETS", "DROPPED", "SINCE", "PROCESS"])
        for mirror in mirrors {
            let report = mirror.report
            table.add([
                mirror.name, report?.source ?? "does not answer", report.map { String($0.packets) } ?? "-",
                report.map { String($0.dropped) } ?? "-", report.map { LocalTime.text(Int($0.began)) } ?? "-",
                mirror.process.map { String($0) } ?? "-",
            ])
        }
        Console.data(table.lines())
    }
}

extension Mirrors.Found {
    fileprivate var json: JSON {
        JSON(
            ("name", .text(name)),
            ("process", .number(process)),
            ("source", .text(report?.source)),
            ("began", .number(report?.began)),
            ("packets", .number(report?.packets)),
            ("dropped", .number(report?.dropped))
        )
    }
}

extension Failure {
    fileprivate init(_ error: MirrorError) {
        let status: Status =
            switch error.code {
            case .invalidRequest: .usage
            case .notFound: .notFound
            case .nameTaken, .silent: .busy
            case .unsupported: .unavailable
            case .notPermitted: .notPermitted
            case .refused: .refusedByKernel
            }
        self.init(status, String(error.message, try: error.remedy?.words))
    }
}
