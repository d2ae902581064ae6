// SPDX-License-Identifier: Apache-2.0

// Planner and executor speak of rules.
@_exported public import LinkRules
