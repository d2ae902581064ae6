// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// One thing that verification objects to in a chain: X509_STORE_CTX_get_error(3).
struct ChainFault: Hashable {
    /// X509_V_ERR_...
    let code: Int32
    /// The certificate's place in the chain: 0 for the server's own.
    let depth: Int32

    /// Verifies the chain that `context` is set up for.
    ///
    /// - Returns: every objection; none for a chain that holds. Verification that fails without naming an objection
    ///   gives X509_V_ERR_UNSPECIFIED.
    static func verify(_ context: OpaquePointer) -> [ChainFault] {
        let collector = Collector()
        let index = collectorIndex
        guard index >= 0,
            X509_STORE_CTX_set_ex_data(context, index, Unmanaged.passUnretained(collector).toOpaque()) == 1
        else { return [ChainFault(code: X509_V_ERR_UNSPECIFIED, depth: 0)] }
        // Verification goes on after each objection: which of them is reported is decided from all.
        X509_STORE_CTX_set_verify_cb(context) { isGood, context in
            guard isGood == 0, let context else { return isGood }
            guard let object = X509_STORE_CTX_get_ex_data(context, ChainFault.collectorIndex) else { return 0 }
            Unmanaged<Collector>.fromOpaque(object).takeUnretainedValue().faults.append(
                ChainFault(
                    code: X509_STORE_CTX_get_error(context),
                    depth: X509_STORE_CTX_get_error_depth(context)
                )
            )
            return 1
        }
        let result = withExtendedLifetime(collector) { X509_verify_cert(context) }
        X509_STORE_CTX_set_ex_data(context, index, nil)
        if result != 1, collector.faults.isEmpty { return [ChainFault(code: X509_V_ERR_UNSPECIFIED, depth: 0)] }
        return collector.faults
    }

    /// Where the collector stands among the context's extra data: CRYPTO_get_ex_new_index(3).
    private static let collectorIndex = CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_X509_STORE_CTX, 0, nil, nil, nil, nil)

    private final class Collector {
        var faults: [ChainFault] = []
    }
}
