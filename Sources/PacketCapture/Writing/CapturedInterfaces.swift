// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets

/// The interfaces whose packets a capture holds, by their index in the kernel. One that appears later is added when its
/// first packet comes.
struct CapturedInterfaces {
    private var numbers: [Int32: Int] = [:]
    /// The one asked for last, which most packets are of.
    private var last: (index: Int32, number: Int)?
    private var interfaces: [CapturedInterface] = []
    private let snapLength: UInt32
    private let filter: String?
    private let name: (Int32) -> String?

    /// - Parameter name: returns the name of an interface; nil if it is gone.
    init(snapLength: UInt32, filter: String?, name: @escaping (Int32) -> String?) {
        self.snapLength = snapLength
        self.filter = filter
        self.name = name
    }

    /// All that have been added, by index.
    var all: [(index: Int32, number: Int)] { numbers.map { ($0.key, $0.value) }.sorted { $0.1 < $1.1 } }

    /// The number of an interface in the capture.
    mutating func number(of index: Int32, hardware: UInt16, _ encoder: inout PcapngEncoder) -> Int {
        if let last, last.index == index { return last.number }
        if let number = numbers[index] {
            last = (index, number)
            return number
        }
        var interface = CapturedInterface(name(index) ?? "interface \(index)", Self.linkType(hardware))
        interface.snapLength = snapLength
        interface.filter = filter
        let number = encoder.add(interface)
        numbers[index] = number
        interfaces.append(interface)
        return number
    }

    /// The interface with this number.
    func interface(_ number: Int) -> CapturedInterface { interfaces[number] }

    /// Forgets all, for a new file.
    mutating func reset() { (numbers, interfaces, last) = ([:], [], nil) }

    /// The form of the packets of an interface of the kind `hardware`, an ARPHRD of <net/if_arp.h>. Kinds without an entry
    /// of their own count as Ethernet.
    static func linkType(_ hardware: UInt16) -> CapturedInterface.LinkType {
        kindsWithoutHeader.contains(hardware) ? .raw : .ethernet
    }

    /// Those whose packets begin with the IP header: ARPHRD_NONE, ARPHRD_RAWIP, ARPHRD_TUNNEL, ARPHRD_TUNNEL6,
    /// ARPHRD_SIT, ARPHRD_IPGRE and ARPHRD_PPP.
    static let kindsWithoutHeader: [UInt16] = [0xFFFE, 519, 768, 769, 776, 778, 512]
}
