// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A value in memory that a process shares with its parent and its children. Only one process may set it at a time.
package final class SharedCell<Value: BitwiseCopyable> {
    private let pointer: UnsafeMutablePointer<Value>

    package init(_ value: Value) throws(SystemError) {
        let size = MemoryLayout<Value>.size
        let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { throw SystemError(operation: "get shared memory", code: errno) }
        pointer = memory.bindMemory(to: Value.self, capacity: 1)
        pointer.initialize(to: value)
    }

    deinit { munmap(pointer, MemoryLayout<Value>.size) }

    package var value: Value {
        get { pointer.pointee }
        set { pointer.pointee = newValue }
    }
}
