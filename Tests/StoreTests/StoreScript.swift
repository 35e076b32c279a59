import OfflineSync
import OfflineSyncTesting

/// A life of a store, in which each step is one commit, and one is a compaction.
enum StoreScript {
  /// One step.
  struct Step: Sendable {
    let name: String
    let body: @Sendable (Store) async throws -> Void
  }

  static let steps: [Step] = [
    Step(name: "a sync is defined") { try await $0.define("down") },
    Step(name: "a record is created") { store in
      _ = try await store.create(record(#"{"Id":"A","Name":"Anna"}"#), in: "contacts")
    },
    Step(name: "a first page comes") { store in
      let page = SyncPage([
        try record(#"{"Id":"r1","Name":"Berta","lastModifiedDate":1000}"#),
        try record(#"{"Id":2,"Name":"Carl","lastModifiedDate":1001}"#),
        try record(#"{"Id":"r3","Name":"Dora","lastModifiedDate":1002}"#),
        try record(#"{"Id":"r4","Name":"Emil","lastModifiedDate":1003}"#),
      ])
      try await store.pull(page, checkpoint: ["page": 1])
    },
    Step(name: "a record is edited") { store in
      try await store.update(record(#"{"Name":"Bertha"}"#), id: "r1", in: "contacts")
    },
    Step(name: "several records are edited") { store in
      try await store.commit([
        .delete("2", in: "contacts"),
        .create(try record(#"{"Id":"n1","Text":"new"}"#), in: "notes"),
        .update(try record(#"{"Name":"Dorothea"}"#), id: "r3", in: "contacts"),
      ])
    },
    Step(name: "a second page meets edits") { store in
      var page = SyncPage(
        [
          try record(#"{"Id":"r1","Name":"Bert","lastModifiedDate":2000}"#),
          try record(#"{"Id":"r5","Name":"Fritz","lastModifiedDate":2001}"#),
        ],
        deletedIDs: ["r4", "r3"]
      )
      page.problems = [
        RecordProblem(
          name: "r6",
          failure: RecordFailure(code: "RECORD_MALFORMED", message: "bad"),
          bytes: Array(#"{"Id":"r6","Name":"#.utf8)
        )
      ]
      try await store.pull(page, checkpoint: ["page": 2])
    },
    Step(name: "the journal is compacted") { await $0.compact(sliceByteCount: 150) },
    Step(name: "a push begins") { store in
      _ = try await store.beginPush(
        ["A", "2"],
        in: "contacts",
        omitting: [:],
        rules: upRules
      )
    },
    Step(name: "a push is answered") { store in
      let failure = RecordFailure(code: "BUSY", message: "later", isRetryable: true)
      let operations = try await store.changes(in: "contacts").reduce(into: [:]) {
        $0[$1.id] = $1.operationID
      }
      let answers: [PushAnswer] = [
        PushAnswer(
          id: "A",
          operationID: operations["A"] ?? "",
          result: .outcome(.created(id: "s1", record: nil))
        ),
        PushAnswer(
          id: "2",
          operationID: operations["2"] ?? "",
          result: .outcome(.failed(failure))
        ),
      ]
      _ = try await store.settlePush(answers, of: 1, rules: upRules) { _, _ in }
    },
    Step(name: "a page overwrites an edit") { store in
      let page = SyncPage([
        try record(#"{"Id":"r1","Name":"Bertram","lastModifiedDate":3000}"#)
      ])
      try await store.pull(page, mode: .overwrite, checkpoint: ["page": 3])
    },
    Step(name: "another sync is defined") { try await $0.define("notes", collection: "notes") },
    Step(name: "a third sync is defined") { try await $0.define("again") },
    Step(name: "another sync takes a record over") { store in
      let page = SyncPage([try record(#"{"Id":"r5","Name":"Fritz","lastModifiedDate":2001}"#)])
      try await store.pull(page, sync: 3, checkpoint: ["page": 1])
    },
    Step(name: "a record is reverted") { store in
      try await store.revert("2", in: "contacts")
    },
    Step(name: "a sync is deleted") { try await $0.removeSync(2) },
  ]

  static let upRules = UpRules(
    options: SyncOptions(),
    isPartial: false,
    ignoresBackoff: true,
    versionField: "lastModifiedDate",
    resolve: { _ in nil }
  )
}
