/// Where the lines of a journal lie in its next generation.
package struct JournalRelocation: Sendable {
  private struct Run: Sendable {
    var old: Int64
    var new: Int64
    var byteCount: Int64
  }

  /// Sorted by the old offset once complete.
  private var runs: [Run] = []

  /// The new offset of a line that began at `offset`; nil: it was not taken over.
  package func offset(of offset: Int64) -> Int64? {
    var low = 0
    var high = runs.count
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].old <= offset { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return nil }
    let run = runs[low - 1]
    return offset < run.old + run.byteCount ? offset - run.old + run.new : nil
  }

  /// Notes bytes that were copied.
  mutating func add(_ old: Int64, to new: Int64, byteCount: Int64) {
    if let last = runs.last, last.old + last.byteCount == old, last.new + last.byteCount == new {
      runs[runs.count - 1].byteCount += byteCount
    } else {
      runs.append(Run(old: old, new: new, byteCount: byteCount))
    }
  }

  /// Makes the offsets findable.
  mutating func complete() {
    runs.sort { $0.old < $1.old }
  }
}
