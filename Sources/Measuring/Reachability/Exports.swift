// SPDX-License-Identifier: Apache-2.0

// Programs that import Reachability see its targets, probes and links without further imports.
@_exported public import LocalNetwork
@_exported public import Probing
