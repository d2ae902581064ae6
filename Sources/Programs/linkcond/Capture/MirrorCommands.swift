// SPDX-License-Identifier: Apache-2.0

import LinkConditioning
import LinkProfiles
import PacketMirror

extension Linkcond.Capture {
    /// Starts or ends a mirror, or lists all mirrors.
    func runMirror() throws {
        if let name = mirror.name {
            try start(name)
        } else if let name = mirror.stopped {
            try Mirrors(MirrorSockets(SocketDirectory.current)).stop(name)
            Console.note("ended \(name)")
        } else {
            show(try Mirrors(MirrorSockets(SocketDirectory.current)).all())
        }
    }

    private func start(_ text: String) throws {
        let name = try MirrorName(text, isReserved: LaneDevices.contains(kind: "tun", name: text, alias: nil))
        let source = try MirrorSource(interface: interface, network: namespace.namespace())
        let process = try MirrorProcess.start(
            name,
            source,
            keepsSuperPackets: limits.keepsSuperPackets,
            sockets: { MirrorSockets(try SocketDirectory.forNewFile()) },
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
        if mirror.json { return Console.data(JSON.list(mirrors.map(\.json))) }
        guard !mirrors.isEmpty else { return Console.note("no mirrors in this network") }
        let header = ["NAME", "SOURCE", "PACKETS", "DROPPED", "SINCE", "PROCESS"]
        let table = Table(header: header, of: mirrors) { mirror in
            let report = mirror.report
            return [
                mirror.name, mirror.source ?? "does not answer", report.map { String($0.packets) } ?? "-",
                report.map { String($0.dropped) } ?? "-", report.map { LocalTime.text(Int($0.began)) } ?? "-",
                mirror.process.map { String($0) } ?? "-",
            ]
        }
        Console.data(table.lines())
    }
}

extension MirrorSockets {
    /// The mirrors whose sockets are at `place`; nil if that is nil.
    fileprivate init?(_ place: SocketDirectory?) {
        guard let place else { return nil }
        self.init(in: place.directory, network: place.network, ending: SocketDirectory.mirrorEnding)
    }
}

extension Mirrors.Found {
    fileprivate var json: JSON {
        JSON(
            ("name", .text(name)),
            ("process", .number(process)),
            ("source", .text(source)),
            ("began", .number(report?.began)),
            ("packets", .number(report?.packets)),
            ("dropped", .number(report?.dropped))
        )
    }
}
