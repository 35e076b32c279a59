import OfflineSyncTesting

/// One thing that happens in a world.
struct Step: Sendable, CustomStringConvertible {
  /// What happens.
  enum Act: String, Sendable, CaseIterable {
    // On a device.
    case edit, create, delete, revert, decide, attach, createNote, editNote
    case retry, resolveAll, cleanGhosts, editAll, compact, vacuum
    // At the server, by other people.
    case remoteEdit, remoteCreate, remoteDelete
    // To a device.
    case round, stop, cancel, kill, cutPower, dieInRound, dieAndDieAgain, close
  }

  var act: Act
  var device: Int
  /// What happens during the act, somewhere in it.
  var meanwhile: Act?
  /// The device that it happens to.
  var otherDevice: Int
  /// Decides all that is left open, so that steps before this one can be left out.
  var seed: UInt64

  var description: String {
    "\(act) \(device)" + (meanwhile.map { ", \($0) \(otherDevice)" } ?? "") + " (\(seed))"
  }
}

/// What happens in the world of a seed.
struct Plan: Sendable {
  var seed: UInt64
  var setting: Setting
  var steps: [Step]

  init(seed: UInt64) {
    self.seed = seed
    let setting = Setting(seed: seed)
    self.setting = setting
    var random = SeededRandom(seed: seed)
    func pick(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
    steps = (0..<6 + pick(12)).map { _ in
      let act = Self.acts[pick(Self.acts.count)]
      var step = Step(
        act: act,
        device: pick(setting.deviceCount),
        otherDevice: pick(setting.deviceCount),
        seed: random.next()
      )
      if act == .round, pick(3) > 0 {
        step.meanwhile = Self.interruptions[pick(Self.interruptions.count)]
        if pick(2) == 0 { step.otherDevice = step.device }
      }
      return step
    }
  }

  /// Everybody pulls what is there.
  var firstRounds: [Step] {
    (0..<setting.deviceCount).map { device in
      Step(act: .round, device: device, otherDevice: 0, seed: seed &+ UInt64(device))
    }
  }

  /// By how often they come.
  private static let acts: [Step.Act] =
    [.edit, .edit, .edit, .create, .create, .delete, .revert, .decide, .attach, .attach]
    + [.createNote, .editNote, .retry, .resolveAll, .cleanGhosts, .editAll, .compact, .vacuum]
    + [.remoteEdit, .remoteEdit, .remoteCreate, .remoteDelete]
    + Array(repeating: .round, count: 12)
    + [.kill, .cutPower, .dieInRound, .dieInRound, .dieAndDieAgain, .close]

  private static let interruptions: [Step.Act] =
    [.edit, .edit, .create, .delete, .attach, .editAll, .resolveAll, .cleanGhosts, .compact]
    + [.remoteEdit, .remoteDelete, .round, .round, .stop, .cancel, .kill, .cutPower, .close]
}
