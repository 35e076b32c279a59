/// What a sync does with a record that was changed here and on the server.
public enum MergeMode: String, Sendable {
  /// Down: the server's copy replaces the local one, whose body is set aside. Up: sent without asking.
  case overwrite
  /// Down: the local record is left alone and a conflict kept. Up: a changed server copy is a conflict.
  case leaveIfChanged
  /// As `leaveIfChanged`, but fields that only one side changed are merged.
  case merge
}
