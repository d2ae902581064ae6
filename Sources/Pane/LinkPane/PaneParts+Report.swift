// SPDX-License-Identifier: Apache-2.0

extension PaneParts {
    /// The pane of a run's report, whose files the service sends: there is nothing to change.
    package static func report(_ description: PaneDescription) -> PaneParts {
        PaneParts(work: {
            Work(resources: [DescriptionResource(description)], live: LiveText { Array("{}".utf8) })
        })
    }
}
