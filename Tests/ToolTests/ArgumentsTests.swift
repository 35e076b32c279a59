import OfflineSync
import OfflineSyncCommands
import Testing

struct ArgumentsTests {
  @Test func `a run takes its options in any order`() throws {
    let lines = [
      ["run", "--config", "c.json", "--state", "s", "one", "two", "--json"],
      ["run", "one", "--json", "--state=s", "two", "--config=c.json"],
      ["run", "--json", "--state", "s", "--config", "c.json", "--", "one", "two"],
    ]
    for line in lines {
      let run = try #require(try CommandLineParser.parse(line) as? RunCommand)
      #expect(run.config == "c.json")
      #expect(run.state == "s")
      #expect(run.names == ["one", "two"])
      #expect(run.asJSON)
    }
  }

  @Test func `flags that are absent are off`() throws {
    let line = ["run", "--config", "c", "--state", "s"]
    let run = try #require(try CommandLineParser.parse(line) as? RunCommand)
    #expect(run.names == [])
    #expect(!run.asJSON)
  }

  @Test func `what follows two dashes is no option`() throws {
    let line = ["records", "--state", "s", "--", "--json", "--state"]
    let records = try #require(try CommandLineParser.parse(line) as? RecordsCommand)
    #expect(records.collection == "--json")
    #expect(records.id == "--state")
    #expect(!records.asJSON)
  }

  @Test func `a value after an equals sign may look like anything`() throws {
    let line = ["records", "--state=--a=b", "-", "--dirty"]
    let records = try #require(try CommandLineParser.parse(line) as? RecordsCommand)
    #expect(records.state == "--a=b")
    #expect(records.collection == "-")
    #expect(records.id == nil)
    #expect(records.onlyDirty)
  }

  @Test func `a status and a side are understood`() throws {
    let status = try CommandLineParser.parse(["status", "--state", "s", "--status", "stopped"])
    #expect((status as? StatusCommand)?.status == .stopped)
    let resolve = try CommandLineParser.parse(
      ["resolve-conflict", "--state", "s", "cities", "7", "remote"]
    )
    #expect((resolve as? ResolveConflictCommand)?.resolution == .remote)
    #expect((resolve as? ResolveConflictCommand)?.id == "7")
  }

  static let mistakes: [(line: String, message: String)] = [
    ("", "no command"),
    ("fly", #"unknown command "fly""#),
    ("--json", #"unknown command "--json""#),
    ("attach --state s", "--config is missing"),
    ("attach --config c --state s cities 1 photo", "FILE is missing"),
    ("attachments --state s a b", #""b" is one argument too many"#),
    ("attachments a", "--state is missing"),
    ("resolve --state s a", "--config is missing"),
    ("resolve --config c --state s", "REF is missing"),
    ("retry --state s", "REF|COLLECTION is missing"),
    ("forget --state s", "NAME is missing"),
    ("cancel --state s", "REF is missing"),
    ("remove --state s", "REF is missing"),
    ("vacuum --state s", "--config is missing"),
    ("run", "--config is missing"),
    ("run --config c", "--state is missing"),
    ("run --state s", "--config is missing"),
    ("run --config --state s", "--config needs a value"),
    ("run --config c --state", "--state needs a value"),
    ("run --config c --state=", "--state needs a value"),
    ("run --config c --state s --state s", "--state is there twice"),
    ("run --config c --state s --json --json", "--json is there twice"),
    ("run --config c --state s --json=yes", "--json takes no value"),
    ("run --config c --state s --quiet", "unknown option --quiet"),
    ("run --config c --state s -j", "unknown option -j"),
    ("run --config c --state s --quiet=1", "unknown option --quiet"),
    ("status --state s down", #""down" is one argument too many"#),
    ("status --state s --status lost", "--status is one of new, running, stopped, failed, done,"),
    ("status --state s --dirty", "unknown option --dirty"),
    ("records --state s", "COLLECTION is missing"),
    ("records --state s cities 1 2", #""2" is one argument too many"#),
    ("put cities", "--state is missing"),
    ("put --state s", "COLLECTION is missing"),
    ("put --state s cities 1 --json", "unknown option --json"),
    ("delete --state s cities", "ID is missing"),
    ("revert --state s cities", "ID is missing"),
    ("explain --state s cities", "ID is missing"),
    ("ghosts --state s down", "--config is missing"),
    ("ghosts --config c --state s", "NAME is missing"),
    ("conflicts --state s", "COLLECTION is missing"),
    ("resolve-conflict --state s cities 1", "local|remote is missing"),
    ("resolve-conflict --state s cities 1 both", #"the side is local or remote, not "both""#),
    ("doctor", "--state is missing"),
    ("doctor --state s --repair s", #""s" is one argument too many"#),
    ("watch", "--state is missing"),
    ("demo --fixtures", "--fixtures needs a value"),
    ("help fly", #"unknown command "fly""#),
  ]

  @Test(arguments: mistakes)
  func `wrong usage says what is wrong and shows how it is right`(
    line: String,
    message: String
  ) throws {
    let words = line.split(separator: " ").map(String.init)
    let error = try #require(throws: UsageError.self) { try CommandLineParser.parse(words) }
    #expect(error.message.hasPrefix(message))
    #expect(error.usage.hasPrefix("offlinesync "))
    if !message.hasPrefix("unknown command"), let command = words.first {
      #expect(error.usage.hasPrefix("offlinesync \(command)"))
    }
  }

  @Test func `an empty argument is none`() throws {
    let error = try #require(throws: UsageError.self) {
      try CommandLineParser.parse(["records", "--state", "s", ""])
    }
    #expect(error.message == "an argument is empty")
  }

  @Test(arguments: [["--help"], ["-h"], ["help"], ["run", "--help"], ["put", "-h"]])
  func `help is never wrong usage`(line: [String]) throws {
    #expect(try CommandLineParser.parse(line) is HelpCommand)
  }

  @Test func `the usage lines are those of the documentation`() {
    #expect(
      RunCommand.syntax.usage
        == "offlinesync run --config C --state S [NAME…] [--json]"
    )
    #expect(StatusCommand.syntax.usage == "offlinesync status --state S [--status STATUS] [--json]")
    #expect(
      RecordsCommand.syntax.usage
        == "offlinesync records --state S COLLECTION [ID] [--dirty] [--json]"
    )
    #expect(
      GhostsCommand.syntax.usage
        == "offlinesync ghosts --config C --state S NAME [--unlimited] [--json]"
    )
    #expect(
      AttachCommand.syntax.usage
        == "offlinesync attach --config C --state S COLLECTION ID FIELD FILE"
    )
    #expect(
      AttachmentsCommand.syntax.usage == "offlinesync attachments --state S [REF] [--json]"
    )
    #expect(ResolveCommand.syntax.usage == "offlinesync resolve --config C --state S REF")
    #expect(VacuumCommand.syntax.usage == "offlinesync vacuum --config C --state S")
    #expect(
      ResolveConflictCommand.syntax.usage
        == "offlinesync resolve-conflict --state S COLLECTION ID local|remote"
    )
  }
}
