// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A value that has open descriptors. A helper process keeps them, whatever else is closed when it starts.
package protocol DescriptorHolder {
    /// All of them.
    var descriptors: [CInt] { get }
}

extension DescriptorHolder {
    /// Those of the stored properties that are holders, so that a new one is kept, too.
    package var descriptors: [CInt] {
        Mirror(reflecting: self).children.flatMap { ($0.value as? any DescriptorHolder)?.descriptors ?? [] }
    }

    /// Closes them in this process, as after another process has been started with them.
    package func closeDescriptors() {
        for descriptor in descriptors { close(descriptor) }
    }
}

extension Optional: DescriptorHolder where Wrapped: DescriptorHolder {
    package var descriptors: [CInt] { map(\.descriptors) ?? [] }
}

/// A descriptor without a type of its own, for example that of a file that another process has opened.
package struct OpenDescriptor: DescriptorHolder {
    package let descriptor: CInt

    package init(_ descriptor: CInt) { self.descriptor = descriptor }

    package var descriptors: [CInt] { [descriptor] }
}
