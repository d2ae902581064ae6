// SPDX-License-Identifier: Apache-2.0

/// What another program has made.
extension HistoryRun {
    func addForeign() {
        host.kernel.devices.append(
            .init(index: 7900, name: "myifb", kind: "ifb", alias: Array("mine".utf8), isUp: true)
        )
        host.kernel.qdiscs += foreignQdiscs
        if let b0 = host.kernel.devices.first(where: { $0.name == "b0" }) {
            if !host.kernel.qdiscs.contains(where: { $0.link == b0.index && $0.parent == 0xFFFF_FFF1 }) {
                let kind = [11, 0, 1, 0] + Array("clsact".utf8) + [0, 0]
                host.kernel.qdiscs.append(
                    .init(link: b0.index, parent: 0xFFFF_FFF1, handle: 0xFFFF_0000, info: 0, attributes: kind)
                )
            }
            host.kernel.filters.append(foreignFilter(b0.index))
            shared.insert("b0")
        }
    }

    var foreignQdiscs: [SimulatedKernel.Object] {
        let kind = [8, 0, 1, 0] + Array("htb".utf8) + [0]
        return ["a0", "myifb"].compactMap { name in host.kernel.devices.first { $0.name == name } }.map {
            .init(link: $0.index, parent: 0xFFFF_FFFF, handle: 0x10000, info: 0, attributes: kind)
        }
    }

    func foreignFilter(_ link: Int32) -> SimulatedKernel.Object {
        let kind = [11, 0, 1, 0] + Array("flower".utf8) + [0, 0]
        return .init(link: link, parent: 0xFFFF_FFF2, handle: 1, info: 0x1_0300, attributes: kind)
    }

    func removeForeign() {
        host.kernel.delete(7900)
        let added = foreignQdiscs
        host.kernel.qdiscs.removeAll(where: added.contains)
        host.kernel.filters.removeAll { $0.info == 0x1_0300 && $0.parent == 0xFFFF_FFF2 }
    }
}
