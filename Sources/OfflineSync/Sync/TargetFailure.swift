/// What becomes of an error that the app's code throws: a `SyncError` passes, anything else is wrapped.
package enum TargetFailure {
  /// The error as it is stored and thrown.
  package static func error(_ error: any Error, from type: String) -> SyncError {
    if let error = error as? SyncError { return error }
    return SyncError(
      .syncTargetFailed,
      "The target \"\(type)\" failed: \(error)",
      underlying: error
    )
  }

  /// Runs the app's code.
  package static func passing<Value>(
    from type: String,
    _ body: () throws -> Value
  ) throws -> Value {
    do { return try body() } catch { throw Self.error(error, from: type) }
  }
}
