// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import PanePage
import SandboxClient
import Testing

/// openapi.json against the API itself.
@Suite struct OpenAPITests {
    private let document: JSON

    init() throws { document = try JSON(utf8: Array(try #require(PageFile.named("openapi.json")).text.utf8)) }

    private static let methods: Set<String> = ["get", "put", "post", "delete"]

    private struct Operation {
        let path: String
        let method: String
        let json: JSON
        /// The parameters, with those of the path.
        let parameters: [JSON]
    }

    private func elements(_ json: JSON?) -> [JSON] {
        if case .array(let elements)? = json?.value { elements } else { [] }
    }

    private var operations: [Operation] {
        (document["paths"]?.members ?? []).flatMap { path in
            let shared = elements(path.value["parameters"])
            return path.value.members.filter { Self.methods.contains($0.name) }.map { member in
                let own = elements(member.value["parameters"])
                return Operation(path: path.name, method: member.name, json: member.value, parameters: shared + own)
            }
        }
    }

    private func operations(tagged tag: String) -> Set<String> {
        let tagged = operations.filter { elements($0.json["tags"]).contains { String(json: $0) == tag } }
        return Set(tagged.map { "\($0.method.uppercased()) \($0.path)" })
    }

    @Test func describesEachResourceOfTheControlSocket() {
        var expected = Set(
            ControlAPI.Resource.allCases.flatMap { resource in
                resource.methods.map { "\($0) \(resource.rawValue)" }
            }
        )
        expected.formUnion(ControlAPI.Resource.conditions.methods.map { "\($0) /v1/conditions/{interface}" })
        #expect(operations(tagged: "control socket") == expected)
    }

    @Test func describesThePane() {
        let pane = operations(tagged: "pane")
        for request in ["GET /v1/live", "POST /v1/rules", "POST /v1/off", "GET /v1/run", "GET /v1/archive"] {
            #expect(pane.contains(request), "\(request)")
        }
    }

    @Test func isADocumentOfVersion31() {
        #expect(document.required("openapi") == "3.1.0")
        for name in ["title", "version"] { #expect(document["info"]?.required(name) as String? != nil) }
        let known: Set<String> = Set(elements(document["tags"]).compactMap { $0.required("name") })
        var identifiers: Set<String> = []
        for operation in operations {
            let place = "\(operation.method) \(operation.path)"
            #expect((operation.json.required("summary") as String?)?.hasSuffix(".") == true, "\(place)")
            let identifier: String? = operation.json.required("operationId")
            #expect(identifiers.insert(identifier ?? "").inserted, "\(place)")
            let tags: [String] = operation.json.required("tags") ?? []
            #expect(!tags.isEmpty && known.isSuperset(of: tags), "\(place)")
            let responses = operation.json["responses"]?.members ?? []
            #expect(Set(responses.map(\.name)).isSuperset(of: ["200", "default"]), "\(place)")
            for response in responses where response.value["$ref"] == nil {
                #expect(response.value["description"] != nil, "\(place)")
            }
            if operation.method == "get" { #expect(operation.json["requestBody"] == nil, "\(place)") }
            let inPath = operation.parameters.filter { $0.required("in") == "path" }
            let names: [String] = inPath.compactMap { $0.required("name") }
            #expect(names.allSatisfy { operation.path.contains("{\($0)}") }, "\(place)")
            #expect(names.count == operation.path.count { $0 == "{" }, "\(place)")
            #expect(inPath.allSatisfy { $0.required("required") == true }, "\(place)")
        }
    }

    @Test func resolvesEachReference() {
        func check(_ json: JSON) {
            if let reference: String = json.required("$ref") {
                var target: JSON? = reference.hasPrefix("#/") ? document : nil
                for name in reference.dropFirst(2).split(separator: "/") { target = target?[String(name)] }
                #expect(target != nil, "\(reference)")
            }
            for member in json.members { check(member.value) }
            for element in elements(json) { check(element) }
        }
        check(document)
    }
}
