// SPDX-License-Identifier: Apache-2.0

// Lets programs that import Reachability use targets, probes and links without further imports.
@_exported public import LocalNetwork
@_exported public import Probing
