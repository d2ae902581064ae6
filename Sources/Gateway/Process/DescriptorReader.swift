// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import SocketServing

/// Calls back when its descriptor can be read.
final class DescriptorReader: DescriptorOwner {
    var watch: DescriptorWatch?
    private let body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }

    func descriptorIsReady(_ readiness: Readiness) { body() }

    func loopHasEnded() { if let watch { close(watch.descriptor) } }
}
