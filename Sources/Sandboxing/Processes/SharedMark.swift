// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A mark that one process makes and that those it was forked from, or forks, see.
struct SharedMark {
    private let place: UnsafeMutablePointer<Bool>

    init() throws(SandboxError) {
        let size = MemoryLayout<Bool>.size
        let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { throw SandboxError("get shared memory", code: errno) }
        place = memory.bindMemory(to: Bool.self, capacity: 1)
    }

    /// Whether it has been made.
    var isMade: Bool { place.pointee }

    /// Makes it.
    func make() {
        place.pointee = true
    }
}
