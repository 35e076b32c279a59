/// How a run begins its fetch.
package enum FetchStart: Sendable, Equatable {
  /// Sets the stored checkpoint and goes on where the fetch was cut.
  case continueFetch
  /// Sets the stored checkpoint, if any, and asks for what is newer; −1: for everything.
  case startFetch(maxTimeStamp: Int64)
}

/// How the next run of a sync begins, or a run whose cursor has expired begins again.
///
/// After done, the stored time itself is asked for, since nothing below it is missing; after a run that was
/// cut, 1 ms less, since records that share the time of the last page may not have come.
package func fetchStart(_ row: SyncRow, isCheckpointed: Bool = true) -> FetchStart {
  if row.isMidFetch && row.checkpoint != nil && isCheckpointed { return .continueFetch }
  guard row.maxTimeStamp >= 0 else { return .startFetch(maxTimeStamp: -1) }
  let isWhole = row.status == .done || (row.status == .running && row.fetch.followsDone)
  let time = isWhole ? row.maxTimeStamp : row.maxTimeStamp - 1
  let overlap = max(0, row.options.overlap.milliseconds)
  return .startFetch(maxTimeStamp: overlap > time ? -1 : time - overlap)
}
