// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A value that one process sets and that those it was forked from, or forks, see. No two may set it at once.
struct SharedCell<Value: BitwiseCopyable> {
    private let place: UnsafeMutablePointer<Value>

    /// Makes one that holds `value`.
    init(_ value: Value) throws(SandboxError) {
        let size = MemoryLayout<Value>.size
        let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { throw SandboxError("get shared memory", code: errno) }
        place = memory.bindMemory(to: Value.self, capacity: 1)
        place.initialize(to: value)
    }

    /// The value.
    var value: Value {
        get { place.pointee }
        nonmutating set { place.pointee = newValue }
    }
}
