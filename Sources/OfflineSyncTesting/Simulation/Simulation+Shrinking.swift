extension Simulation {
  /// The shortest part of a plan found that still fails.
  ///
  /// Parts are left out by halves, quarters and so on down to single steps, until no single step can be
  /// left out or the tries are used up. A step should bring its own seed for
  /// ``SimulatedWorld/reseed(_:)``, so that it does the same whatever comes before it.
  ///
  /// - Parameters:
  ///   - plan: A plan that fails.
  ///   - limit: Most tries.
  ///   - fails: Whether a plan fails.
  /// - Returns: The plan, or what is left of it.
  /// - Throws: What `fails` throws.
  public static func shortest<Step>(
    of plan: [Step],
    tries limit: Int = 300,
    where fails: ([Step]) async throws -> Bool
  ) async rethrows -> [Step] {
    var shortest = plan
    var tries = 0
    var size = max(1, plan.count / 2)
    while true {
      var start = 0
      var isShorter = false
      while start < shortest.count, tries < limit {
        var candidate = shortest
        candidate.removeSubrange(start..<min(shortest.count, start + size))
        tries += 1
        if try await fails(candidate) {
          shortest = candidate
          isShorter = true
        } else {
          start += size
        }
      }
      if tries >= limit || (size == 1 && !isShorter) { return shortest }
      if size > 1 { size /= 2 }
    }
  }
}
