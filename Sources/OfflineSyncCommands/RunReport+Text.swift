import OfflineSync

// What `run` says to people.

extension RunReport {
  /// Most lines about things of one kind.
  private static let mostLines = 100

  /// The last line.
  var summary: String {
    let done = syncs.count { $0.status == .done }
    let wanted = syncs.count + refusals.count
    let files = uploadedAttachments
    let parts = [
      wanted == 0 ? nil : "\(done) of \(wanted) syncs done",
      files == 0 ? nil : "\(files) \(files == 1 ? "attachment" : "attachments") uploaded",
    ].compactMap { $0 }
    return parts.isEmpty ? "there is nothing to run" : parts.joined(separator: ", ")
  }

  /// The lines before it: what is no failure, but waits for somebody to know of it.
  ///
  /// - Parameters:
  ///   - state: The store's directory, for the commands that the lines name.
  ///   - configuration: The configuration file.
  /// - Returns: The lines.
  func notes(state: String, configuration: String) -> [String] {
    let tool = ToolProgram.current.name
    let place = "--state \(state.word)"
    var lines = unconfigured.map { name in
      "\(name.shown): not run: \(configuration.shown) has no such sync; "
        + "\"\(tool) forget \(place) \(name.word)\" deletes it"
    }
    for (collection, count) in conflicts {
      lines.append(
        "\(collection.shown): \(count) \(count == 1 ? "conflict waits" : "conflicts wait"): "
          + "see \"\(tool) conflicts \(place) \(collection.word)\""
      )
    }
    var collections: [String] = []
    for record in displacedRecords where !collections.contains(record.collection) {
      collections.append(record.collection)
    }
    for collection in collections {
      let ids = displacedRecords.filter { $0.collection == collection }.map(\.id)
      let shown = ids.prefix(10).map(\.text.shown).joined(separator: ", ")
      let more = ids.count > 10 ? ", …" : ""
      lines.append(
        "\(collection.shown): the server's \(ids.count == 1 ? "copy" : "copies") displaced "
          + "\(ids.count) local \(ids.count == 1 ? "edit" : "edits") (\(shown)\(more)), kept for "
          + "30 days: see \"\(tool) explain \(place) \(collection.word) \(ids[0].text.word)\""
      )
    }
    if let parked = parkedRecords.first {
      lines.append(
        "a parked record goes out again after an edit, or after "
          + "\"\(tool) retry \(place) \(parked.collection.word) \(parked.id.text.word)\""
      )
    }
    return lines
  }

  /// Writes each failure as an error.
  func complain(_ output: Output) {
    // A record that was parked just now is told of once.
    let parked = parkedRecords.prefix(Self.mostLines)
    for state in syncs { complain(output, of: state, but: parked) }
    // Once stopped, the manager refuses all that are left with the same words.
    let stopped = refusals.filter { $0.code == .syncManagerStopped }
    for refusal in refusals where refusal.code != .syncManagerStopped { output.error(refusal) }
    if stopped.count > 1 {
      output.error(.syncManagerStopped, "\(stopped.count) syncs were not run")
    } else if let only = stopped.first {
      output.error(only)
    }
    for record in parked {
      output.error(
        SyncError.Code(rawValue: record.failure.code),
        "\(record.collection): \(record.id): \(record.failure.message): parked"
      )
    }
    if let next = parkedRecords.dropFirst(Self.mostLines).first {
      let more = parkedRecords.count - parked.count
      output.error(SyncError.Code(rawValue: next.failure.code), "\(more) more are parked")
    }
    for failed in failedAttachments.prefix(Self.mostLines) { failed.complain(output) }
    let more = failedAttachments.count - Self.mostLines
    if more > 0 { output.error(.transfer, "\(more) more attachments have failed") }
    if let attachmentError { output.error(attachmentError) }
  }

  private func complain(
    _ output: Output,
    of state: SyncState,
    but parked: ArraySlice<ParkedRecord>
  ) {
    switch state.status {
    case .failed:
      let code = state.errorCode.map(SyncError.Code.init(rawValue:)) ?? .syncTargetFailed
      output.error(code, "\(state.label): \(state.error ?? "the run failed")")
    case .stopped: output.error(.syncManagerStopped, "\(state.label): the run was stopped")
    case .new, .running, .done: break
    }
    let told = Set(parked.filter { $0.collection == state.collection }.map(\.id))
    for problem in state.problems
    where state.direction == .syncDown || !told.contains(RecordID(problem.name)) {
      output.error(
        SyncError.Code(rawValue: problem.failure.code),
        "\(state.label): \(problem.name): \(problem.failure.message)"
      )
    }
    let more = state.counts.malformed + state.counts.failed - state.problems.count
    if more > 0, state.problems.count >= Self.mostLines {
      let code: SyncError.Code = state.counts.malformed > 0 ? .recordMalformed : .syncTargetFailed
      output.error(code, "\(state.label): \(more) more records")
    }
  }
}
