/// Where the lines of a journal lie in its next generation.
package struct JournalRelocation: Sendable {
  private struct Run: Sendable {
    var old: Int64
    var new: Int64
    var byteCount: Int64

    func place(of offset: Int64) -> Int64? {
      offset < old + byteCount ? offset - old + new : nil
    }
  }

  /// Sorted by the old offset once complete.
  private var runs: [Run] = []
  /// The commits since the compaction began, all of which were taken over.
  private var tail: Run?

  /// The new offset of a line that began at `offset`; nil: it was not taken over.
  package func offset(of offset: Int64) -> Int64? {
    if let tail, offset >= tail.old { return tail.place(of: offset) }
    var low = 0
    var high = runs.count
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].old <= offset { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? runs[low - 1].place(of: offset) : nil
  }

  /// Notes bytes that were copied.
  mutating func add(_ old: Int64, to new: Int64, byteCount: Int64) {
    if let last = runs.last, last.old + last.byteCount == old, last.new + last.byteCount == new {
      runs[runs.count - 1].byteCount += byteCount
    } else {
      runs.append(Run(old: old, new: new, byteCount: byteCount))
    }
  }

  /// Makes the offsets findable, and those of the commits that followed.
  mutating func complete(tail start: Int64, to new: Int64, byteCount: Int64) {
    runs.sort { $0.old < $1.old }
    tail = Run(old: start, new: new, byteCount: byteCount)
  }
}
