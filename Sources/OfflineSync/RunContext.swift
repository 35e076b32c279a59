/// Inside which runs the current task is: set around every call of a target, and of a transfer.
///
/// The library's one task-local value, since nothing else can tell that a call of the manager comes from
/// inside a target, through whatever app code, and would wait for the very run that waits for it.
package struct RunContext: Sendable {
  /// nil: outside of targets.
  @TaskLocal package static var current: RunContext?

  /// A run, with the manager it belongs to; of a transfer, its queue.
  package struct Run: Sendable, Hashable {
    package let manager: ObjectIdentifier
    package let number: UInt64
  }

  /// The run whose target is called, last, and those around it.
  package let runs: [Run]
  /// The collection of the sync whose target is called.
  package let collection: String
  /// What that sync does with records that both sides changed.
  package let mergeMode: MergeMode

  /// The context of a call that the current task is about to make for a run.
  package init(
    manager: ObjectIdentifier,
    run: UInt64,
    collection: String,
    mergeMode: MergeMode = .overwrite
  ) {
    self.mergeMode = mergeMode
    runs = (Self.current?.runs ?? []) + [Run(manager: manager, number: run)]
    self.collection = collection
  }

  /// The numbers of the manager's runs that the current task is inside of, outermost first.
  package static func runs(of manager: ObjectIdentifier) -> [UInt64] {
    (current?.runs ?? []).filter { $0.manager == manager }.map(\.number)
  }
}
