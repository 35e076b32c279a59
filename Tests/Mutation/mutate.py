#!/usr/bin/env python3
"""Checks the tests themselves: breaks each decision of the core in turn and looks whether a test notices.

    python3 Tests/Mutation/mutate.py                          all mutants, for hours
    python3 Tests/Mutation/mutate.py --sample 100 --seed 7    a hundred of them
    python3 Tests/Mutation/mutate.py --files 'Storage/*'      those of some files; several globs may be named
    python3 Tests/Mutation/mutate.py --work W --again         what survived before, after tests were written

It works on a copy of the repository in a temporary directory (--work names one, which a later call goes on
with). All mutants are built at once, and each is switched on by the environment of a test run. A mutant that
no test notices is listed as survived, unless survivors.txt beside this script says why no test can notice it.
The exit status is 1 if there is an unexplained survivor.
"""

import argparse
import concurrent.futures
import fnmatch
import hashlib
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True

from mutants import SUPPORT, Mutator  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CORE = "Sources/OfflineSync"
# What is broken, and the test targets that have to notice; the first that does ends the search.
SUBJECTS = [
    ("Sync/SyncMachine*", ["SyncTests"]),
    ("Sync/ManagerMachine*", ["SyncTests"]),
    ("Attachments/*Machine*", ["AttachmentTests"]),
    ("Storage/Journal*", ["JournalTests", "StoreTests"]),
    ("JSON/RecordMerge*", ["JSONTests", "StoreTests", "PushTests"]),
    ("Store/PageMerge*", ["StoreTests", "SyncTests", "AttachmentTests"]),
    ("Store/*Settling*", ["StoreTests", "PushTests", "AttachmentTests", "SimulationTests"]),
    ("Store/RecordDraft*", ["StoreTests", "PushTests", "SimulationTests"]),
]
TARGETS = sorted({target for _, targets in SUBJECTS for target in targets})


def targets_of(name):
    return next((targets for glob, targets in SUBJECTS if fnmatch.fnmatch(name, glob)), None)


def wanted_targets(globs):
    """The test targets that have to notice mutants of the files that match."""
    names = (str(path.relative_to(ROOT / CORE)) for path in (ROOT / CORE).rglob("*.swift"))
    chosen = (name for name in names if any(fnmatch.fnmatch(name, glob) for glob in globs))
    return {target for name in chosen for target in targets_of(name) or []}


class Check:
    def __init__(self, work, targets):
        self.work = work
        self.targets = sorted(targets)
        self.copy = work / "copy"
        self.results_file = work / "results.jsonl"
        self.broken_file = work / "broken.json"
        self.broken = set(json.loads(self.broken_file.read_text())) if self.broken_file.exists() else set()
        self.files = []
        self.mutants = []

    # The copy.

    def prepare(self):
        self.copy.mkdir(parents=True, exist_ok=True)
        for part in ("Sources/OfflineSync", "Sources/OfflineSyncTesting", "Fixtures", *(f"Tests/{t}" for t in self.targets)):
            self.copy_folder(ROOT / part, self.copy / part)
        self.write(self.copy / "Package.swift", self.manifest((ROOT / "Package.swift").read_text()))
        self.write(self.copy / CORE / "Mutants.swift", SUPPORT)
        number = 1
        for path in sorted((ROOT / CORE).rglob("*.swift")):
            name = str(path.relative_to(ROOT / CORE))
            if targets_of(name):
                file = Mutator(name, path.read_text(), number).find()
                number = file.next
                self.files.append(file)
                self.mutants += file.mutants
        self.write_mutants()

    def manifest(self, original):
        """A package of the core and of the tests that have to notice, without the settings that warn."""
        head = original[: original.index("]\n\n") + 2]
        head = re.sub(r"\n *\.strictMemorySafety\(\), \.treatAllWarnings\(as: \.error\),", "", head)
        platforms = re.search(r"platforms: \[.*\],", original)[0]
        return f"""{head}
let package = Package(
  name: "OfflineSync",
  {platforms}
  targets: [
    .target(name: "OfflineSync", swiftSettings: strict),
    .target(name: "OfflineSyncTesting", dependencies: ["OfflineSync"], swiftSettings: strict),
  ]
    + {json.dumps(self.targets)}.map {{
      .testTarget(name: $0, dependencies: ["OfflineSync", "OfflineSyncTesting"], swiftSettings: strict)
    }}
)
"""

    def copy_folder(self, source, copy):
        """Copies what differs, but for the files that mutants are in."""
        there = {p.relative_to(copy) for p in copy.rglob("*") if p.is_file()}
        wanted = {p.relative_to(source) for p in source.rglob("*") if p.is_file()}
        is_core = source == ROOT / CORE
        for name in there - wanted - {pathlib.Path("Mutants.swift")}:
            (copy / name).unlink()
        for name in wanted:
            if is_core and targets_of(str(name)):
                continue
            data = (source / name).read_bytes()
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            if name not in there or (copy / name).read_bytes() != data:
                (copy / name).write_bytes(data)

    @staticmethod
    def write(path, text):
        """Leaves a file alone that says the same, so that nothing is built anew for it."""
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)

    def key(self, mutant):
        return f"{mutant['file']}:{mutant['line']}: {mutant['kind']}: {mutant['source']}"

    def write_mutants(self):
        left_out = {m["id"] for m in self.mutants if self.key(m) in self.broken}
        for file in self.files:
            self.write(self.copy / CORE / file.name, file.written(left_out))

    def build(self):
        """Builds, and leaves out what does not compile, until all of it does."""
        for _ in range(40):
            print("building…", flush=True)
            done = subprocess.run(
                ["swift", "build", "--build-tests"], cwd=self.copy, capture_output=True, text=True
            )
            if done.returncode == 0:
                return
            text = done.stdout + done.stderr
            errors = {
                (match[1], int(match[2]))
                for match in re.finditer(rf"{CORE}/([\w/+.]+\.swift):(\d+):\d+: error:", text)
            }
            before = len(self.broken)
            for mutant in self.mutants:
                near = {(mutant["file"], mutant["line"] + d) for d in (0,)}
                if near & errors:
                    self.broken.add(self.key(mutant))
            if len(self.broken) == before:
                for name, line in errors:
                    closest = [m for m in self.mutants if m["file"] == name and -6 < line - m["line"] < 20]
                    self.broken |= {self.key(m) for m in closest}
            if len(self.broken) == before:
                sys.exit(text[-6000:])
            print(f"{len(self.broken) - before} mutants do not compile", flush=True)
            self.broken_file.write_text(json.dumps(sorted(self.broken)))
            self.write_mutants()
        sys.exit("it does not build")

    # The tests.

    def run(self, suites, limit, **environment):
        """Runs suites; whether they passed (None: they did not end in time), and for how long they ran."""
        command = [str(next(self.copy.glob(".build/debug/*.xctest"))), "--testing-library", "swift-testing"]
        for suite in suites:
            command += ["--filter", f"^{re.escape(suite)}/"]
        start = time.monotonic()
        process = subprocess.Popen(
            command,
            cwd=self.copy,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
            env={"OFFLINESYNC_SEEDS": "200"} | os.environ | {"SWIFT_BACKTRACE": "enable=no"} | environment,
        )
        passed, ran = None, False
        watch = subprocess.Popen(["sh", "-c", f"sleep {limit}; kill -9 {process.pid} 2>/dev/null"], start_new_session=True)
        for line in process.stdout:
            if "recorded an issue" in line:
                passed = False
                break
            if re.search(r"Test run with [1-9]\d* tests?", line):
                ran = True
        if passed is None:
            status = process.wait()
            passed = status == 0 and ran
            if status == -signal.SIGKILL:
                passed = None
        else:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if watch.poll() is None:
            os.killpg(watch.pid, signal.SIGKILL)
        watch.wait()
        return passed, time.monotonic() - start

    def trace(self, slowest):
        """Which suites come by which mutants, and how long each takes; those that take too long are cut.

        What was traced before holds as long as neither the core nor the file of the suite has changed.
        """
        path = self.work / "trace.json"
        known = json.loads(path.read_text()) if path.exists() else {}
        core = self.digest(*sorted((self.copy / CORE).rglob("*.swift")))
        listed = subprocess.run(
            ["swift", "test", "list", "--skip-build"], cwd=self.copy, capture_output=True, text=True
        ).stdout
        traces = {}
        for suite in sorted({line.split("/")[0] for line in listed.splitlines() if "/" in line}):
            target, name = suite.split(".")[:2]
            files = sorted((self.copy / "Tests" / target).glob("*.swift"))
            state = self.digest(*(p for p in files if re.search(rf"\b{name}\b", p.read_text()))) + core
            trace = known.get(suite, {})
            limit = min(600, int(2 * slowest))
            if trace.get("state") != state or trace["hits"] is None and limit > trace["seconds"]:
                trace = known[suite] = self.trace_suite(suite, limit) | dict(state=state)
                path.write_text(json.dumps(known))
            if trace["hits"] is not None:
                traces[suite] = trace
        return traces

    @staticmethod
    def digest(*files):
        return hashlib.sha256(b"".join(p.read_bytes() for p in files)).hexdigest()[:16]

    def trace_suite(self, suite, limit):
        hits = self.work / "hits"
        hits.unlink(missing_ok=True)
        passed, seconds = self.run([suite], limit, OFFLINESYNC_MUTANT_TRACE=str(hits))
        if not passed:
            reason = f"takes more than {limit} s" if passed is None else "fails without any mutant"
            print(f"{suite} {reason}; it is left out", flush=True)
            return dict(seconds=limit if passed is None else 600, hits=None)
        found = dict(seconds=seconds, hits=[int(n) for n in hits.read_text().split()] if hits.exists() else [])
        print(f"{suite}: {len(found['hits'])} mutants, {seconds:.1f} s", flush=True)
        return found

    def judge(self, mutant, traces, slowest):
        number = mutant["id"]
        wanted = targets_of(mutant["file"])
        suites = [s for s in traces if number in traces[s]["hits"] and s.split(".")[0] in wanted]
        if not suites:
            return "survived", "no test comes by"
        suites.sort(key=lambda s: (traces[s]["seconds"], s))
        left_out = [s for s in suites if traces[s]["seconds"] > slowest]
        # The quick ones first; most mutants die there.
        parts = [[], [], []]
        for suite in suites[: len(suites) - len(left_out)]:
            seconds = traces[suite]["seconds"]
            parts[0 if seconds < 1.5 else 1 if seconds < 8 else 2].append(suite)
        for part in filter(None, parts):
            seconds = sum(traces[s]["seconds"] for s in part)
            passed, _ = self.run(part, int(30 + 4 * seconds), OFFLINESYNC_MUTANT=str(number))
            if not passed:
                return "killed", "" if passed is False else "it does not end"
        return "survived", f"not tried: {', '.join(left_out)}" if left_out else ""


def explanations():
    """The reasons of survivors.txt: file, kind and source of a mutant, and behind => why nobody can notice."""
    found = {}
    for line in (HERE / "survivors.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            place, reason = line.split(" => ", 1)
            found[place] = reason
    return found


def try_all(check, mutants, known, traces, options):
    """What became of the mutants; what is not known yet is tried, and noted in the results at once."""
    end = time.monotonic() + 60 * options.minutes

    def attempt(mutant):
        if time.monotonic() > end:
            return None
        verdict, remark = check.judge(mutant, traces, options.slowest)
        return dict(key=check.key(mutant), verdict=verdict, remark=remark, mutant=mutant)

    results = [known[check.key(m)] for m in mutants if check.key(m) in known]
    unknown = [m for m in mutants if check.key(m) not in known]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool, check.results_file.open("a") as file:
        for place, result in enumerate(pool.map(attempt, unknown)):
            if result is None:
                continue
            results.append(result)
            file.write(json.dumps(result) + "\n")
            file.flush()
            print(f"{place + 1}/{len(unknown)} {result['verdict']}: {result['key']} {result['remark']}", flush=True)
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", nargs="+", default=["*"], help="only the mutants of these files of the core")
    parser.add_argument("--sample", type=int, help="only so many mutants, chosen by the seed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", type=pathlib.Path, help="where to work; a later call goes on there")
    parser.add_argument("--minutes", type=float, default=1e9, help="for how long to try mutants")
    parser.add_argument("--targets", nargs="+", choices=TARGETS, help="the test targets that may notice")
    parser.add_argument("--again", action="store_true", help="only what survived in --work, anew")
    parser.add_argument("--slowest", type=float, default=1e9, help="leave out suites that take more seconds")
    parser.add_argument("--jobs", type=int, default=1, help="how many mutants to try at once")
    parser.add_argument("--list", action="store_true", help="only list the mutants")
    options = parser.parse_args()
    work = options.work or pathlib.Path(tempfile.mkdtemp(prefix="mutation-"))
    check = Check(work, options.targets or wanted_targets(options.files))
    check.prepare()
    chosen = [m for m in check.mutants if any(fnmatch.fnmatch(m["file"], glob) for glob in options.files)]
    if options.list:
        for mutant in chosen:
            print(f"{mutant['id']} {check.key(mutant)}")
        return 0
    check.build()
    compiled = [m for m in chosen if check.key(m) not in check.broken]
    print(f"{len(chosen)} mutants, {len(chosen) - len(compiled)} do not compile", flush=True)
    traces = check.trace(options.slowest)
    random.Random(options.seed).shuffle(compiled)
    if options.sample:
        compiled = compiled[: options.sample]
    known = {}
    if check.results_file.exists():
        known = {r["key"]: r for r in map(json.loads, check.results_file.read_text().splitlines())}
    if options.again:
        compiled = [m for m in compiled if known.pop(check.key(m), {}).get("verdict") == "survived"]
    results = try_all(check, compiled, known, traces, options)
    reasons = explanations()
    survived = [r for r in results if r["verdict"] == "survived"]
    place = lambda r: f"{r['mutant']['file']}: {r['mutant']['kind']}: {r['mutant']['source']}"
    unexplained = [r for r in survived if place(r) not in reasons]
    print(
        f"mutants: {len(results)} tried, {len(results) - len(survived)} killed, {len(survived)} survived, "
        f"{len(survived) - len(unexplained)} of them explained; {len(chosen) - len([m for m in chosen if check.key(m) not in check.broken])} did not compile"
    )
    for result in unexplained:
        print(f"survived: {result['key']} {result['remark']}")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
