// SPDX-License-Identifier: Apache-2.0

/// What a pane shows and does: its resources, each made on the thread that uses it.
///
/// A request is offered to the resources of the worker first, and then to all groups in `slow`: one resource answers it.
package struct PaneParts: Sendable {
    /// The resources of the worker thread, which also renews the live text. They answer within some milliseconds.
    package struct Work {
        package var resources: [any PaneResource]
        package var live: LiveText

        package init(resources: [any PaneResource], live: LiveText) { (self.resources, self.live) = (resources, live) }
    }

    package var work: @Sendable () -> Work
    /// Groups of resources that may take long, such as those that run commands: each group has a thread of its own, so
    /// that it delays neither the live text nor another group.
    package var slow: [@Sendable () -> [any PaneResource]]

    package init(
        work: @escaping @Sendable () -> Work,
        slow: [@Sendable () -> [any PaneResource]] = []
    ) {
        (self.work, self.slow) = (work, slow)
    }
}
