// SPDX-License-Identifier: Apache-2.0

// The planner's and the executor's interfaces use LinkRules' types.
@_exported public import LinkRules
