public import OfflineSync

/// Checks what the library builds on in a down target.
///
/// ```swift
/// let report = try await checkConformance(of: ContactsTarget(server), in: world)
/// #expect(report.holds, "\(report)")
/// ```
///
/// - Parameters:
///   - target: The target, with small pages, so that a few records fill two.
///   - world: The user's server, which is written to.
///   - seed: Gives the order of the checks.
/// - Returns: A finding for each of ``ConformanceGuarantee/down``.
/// - Throws: What closures of the world throw; `CancellationError`.
public func checkConformance<Target: SyncDownTarget>(
  of target: Target,
  in world: ConformanceWorld,
  seed: UInt64 = 1
) async throws -> ConformanceReport {
  let findings = try await downFindings(of: target, in: world, seed: seed)
  return ConformanceReport(subject: "\(Target.self)", seed: seed, findings: findings)
}

/// Checks what the library builds on in an up target, one by one or in batches.
///
/// - Parameters:
///   - target: The target.
///   - world: The user's server, which is written to.
///   - seed: Gives the order of the checks.
/// - Returns: A finding for each of ``ConformanceGuarantee/up``.
/// - Throws: What closures of the world throw; `CancellationError`.
public func checkConformance<Target: SyncUpTarget>(
  of target: Target,
  in world: ConformanceWorld,
  seed: UInt64 = 1
) async throws -> ConformanceReport {
  let findings = try await upFindings(of: target, in: world, seed: seed)
  return ConformanceReport(subject: "\(Target.self)", seed: seed, findings: findings)
}

/// Checks a target that goes both ways.
///
/// - Parameters:
///   - target: The target, with small pages, so that a few records fill two.
///   - world: The user's server, which is written to; where it cannot read, the target's own pull does.
///   - seed: Gives the order of the checks.
/// - Returns: A finding for each of ``ConformanceGuarantee/down`` and ``ConformanceGuarantee/up``.
/// - Throws: What closures of the world throw; `CancellationError`.
public func checkConformance<Target: SyncDownTarget & SyncUpTarget>(
  of target: Target,
  in world: ConformanceWorld,
  seed: UInt64 = 1
) async throws -> ConformanceReport {
  let down = try await downFindings(of: target, in: world, seed: seed)
  let up = try await upFindings(of: target, in: world, seed: seed)
  return ConformanceReport(subject: "\(Target.self)", seed: seed, findings: down + up)
}

/// Checks what the library builds on in a transfer.
///
/// - Parameters:
///   - transfer: The transfer.
///   - world: The user's server, which is written to.
///   - seed: Gives the order of the checks.
/// - Returns: A finding for each of ``ConformanceGuarantee/transfer``.
/// - Throws: What closures of the world throw; `CancellationError`.
public func checkConformance<Transfer: AttachmentTransfer>(
  of transfer: Transfer,
  in world: ConformanceWorld,
  seed: UInt64 = 1
) async throws -> ConformanceReport {
  let findings = try await ConformanceBench(world: world, seed: seed)
    .run(TransferConformance<Transfer>.checks()) { log in
      TransferConformance(transfer, in: world, log)
    }
  return ConformanceReport(subject: "\(Transfer.self)", seed: seed, findings: findings)
}

private func downFindings<Target: SyncDownTarget>(
  of target: Target,
  in world: ConformanceWorld,
  seed: UInt64
) async throws -> [ConformanceFinding] {
  try await ConformanceBench(world: world, seed: seed)
    .run(DownConformance<Target>.checks()) { log in
      try await DownConformance(target, in: world, log)
    }
}

private func upFindings<Target: SyncUpTarget>(
  of target: Target,
  in world: ConformanceWorld,
  seed: UInt64
) async throws -> [ConformanceFinding] {
  try await ConformanceBench(world: world, seed: seed)
    .run(UpConformance<Target>.checks()) { log in
      try await UpConformance(target, in: world, log)
    }
}
