import OfflineSync

/// Verifies a state directory, and repairs a damaged one.
package struct DoctorCommand: ToolCommand {
  package static let syntax = CommandSyntax(
    "doctor",
    "verifies every byte of a store; repair keeps a backup",
    [.option("state", value: "S"), .flag("repair")]
  )

  /// Where the store lies.
  package let state: String
  /// Whether damage is repaired.
  package let repairs: Bool

  package init(_ arguments: Arguments) throws {
    state = try arguments.required("state")
    repairs = arguments.has("repair")
  }

  package func run(_ output: Output) async throws -> ExitStatus {
    let path = URL(filePath: state, directoryHint: .isDirectory).absoluteURL.standardizedFileURL
      .path(percentEncoded: false)
    guard repairs else { return try verify(path, output) }
    let repair = try await StoreDoctor.repair(
      SystemFileSystem(),
      at: path,
      environment: .live
    )
    for finding in repair.findings { try output.line("\(finding)".shown) }
    try count(repair.verifiedFileCount, output)
    if let backup = repair.backupPath {
      try output.line("repaired: what verifies was kept; the files of before are in \(backup)")
    } else if repair.unrepaired.isEmpty {
      try output.line("nothing to repair")
    }
    guard repair.unrepaired.isEmpty else {
      let count = repair.unrepaired.count
      let places = count == 1 ? "one place stays" : "\(count) places stay"
      output.error(.storeCorrupt, "\(path): \(places) damaged, which no repair can mend")
      return .failed
    }
    return .good
  }

  /// Tells how many files of attachments were found good; a store without any says nothing of them.
  private func count(_ files: Int, _ output: Output) throws {
    guard files > 0 else { return }
    try output.line(
      files == 1 ? "one attachment file verifies" : "\(files) attachment files verify"
    )
  }

  private func verify(_ path: String, _ output: Output) throws -> ExitStatus {
    let report = try StoreDoctor.check(SystemFileSystem(), at: path)
    for finding in report.findings { try output.line("\(finding)".shown) }
    try count(report.verifiedFileCount, output)
    let damaged = report.findings.count(where: \.isDamage)
    guard damaged == 0 else {
      let places = damaged == 1 ? "one place is" : "\(damaged) places are"
      output.error(.storeCorrupt, "\(path): \(places) damaged; --repair keeps what verifies")
      return .failed
    }
    try output.line(
      report.findings.isEmpty
        ? "good: every byte verifies"
        : "good: every acknowledged byte verifies; the next opening cuts off what was cut short"
    )
    return .good
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
