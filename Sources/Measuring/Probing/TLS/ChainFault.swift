// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// A fault that verification finds in a certificate chain: X509_STORE_CTX_get_error(3).
struct ChainFault: Hashable {
    let code: Int32
    /// The certificate's index in the chain: 0 for the server's own.
    let depth: Int32

    /// Verifies the chain for which `context` is set up.
    ///
    /// - Returns: all faults; empty for a valid chain. If verification fails without naming a fault, the result is
    ///   X509_V_ERR_UNSPECIFIED.
    static func verify(_ context: OpaquePointer) -> [ChainFault] {
        var faults: [ChainFault] = []
        let result = withUnsafeMutablePointer(to: &faults) { faults -> Int32? in
            guard faultsIndex >= 0, X509_STORE_CTX_set_ex_data(context, faultsIndex, faults) == 1 else { return nil }
            defer { X509_STORE_CTX_set_ex_data(context, faultsIndex, nil) }
            // Continues after each fault, since the most serious one is selected later.
            X509_STORE_CTX_set_verify_cb(context) { isGood, context in
                guard isGood == 0, let context else { return isGood }
                guard let faults = X509_STORE_CTX_get_ex_data(context, ChainFault.faultsIndex) else { return 0 }
                faults.assumingMemoryBound(to: [ChainFault].self).pointee.append(
                    ChainFault(
                        code: X509_STORE_CTX_get_error(context),
                        depth: X509_STORE_CTX_get_error_depth(context)
                    )
                )
                return 1
            }
            return X509_verify_cert(context)
        }
        return result != 1 && faults.isEmpty ? [ChainFault(code: X509_V_ERR_UNSPECIFIED, depth: 0)] : faults
    }

    /// The index of the list of faults in the context's extra data: CRYPTO_get_ex_new_index(3).
    private static let faultsIndex = CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_X509_STORE_CTX, 0, nil, nil, nil, nil)
}
