// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A value that owns open descriptors. A helper process keeps them when it closes all others at its start.
package protocol DescriptorHolder {
    /// All descriptors of the value.
    var descriptors: [CInt] { get }
}

extension DescriptorHolder {
    /// The descriptors of all stored properties that are holders, so that a property added later is included.
    package var descriptors: [CInt] {
        Mirror(reflecting: self).children.flatMap { ($0.value as? any DescriptorHolder)?.descriptors ?? [] }
    }

    /// Closes the descriptors in this process, for instance after another process has been started with them.
    package func closeDescriptors() {
        for descriptor in descriptors { close(descriptor) }
    }
}

extension Optional: DescriptorHolder where Wrapped: DescriptorHolder {
    package var descriptors: [CInt] { map(\.descriptors) ?? [] }
}

/// A plain descriptor, for example of a file that another process has opened.
package struct OpenDescriptor: DescriptorHolder {
    package let descriptor: CInt

    package init(_ descriptor: CInt) { self.descriptor = descriptor }

    package var descriptors: [CInt] { [descriptor] }
}
