#!/usr/bin/env python3
"""Checks the tests themselves: breaks each decision of the core in turn and looks whether a test notices.

    python3 Tests/Mutation/mutate.py                          all mutants, for hours
    python3 Tests/Mutation/mutate.py --sample 100 --seed 7    a hundred of them
    python3 Tests/Mutation/mutate.py --files 'Storage/*'      those of some files

It works on a copy of the repository in a temporary directory (--work names one, which a later call goes on
with). All mutants are built at once, and each is switched on by the environment of a test run. A mutant that
no test notices is listed as survived, unless survivors.txt beside this script says why no test can notice it.
The exit status is 1 if there is an unexplained survivor.
"""

import argparse
import fnmatch
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
    ("Store/*Settling*", ["StoreTests", "PushTests"]),
    ("Store/RecordDraft*", ["StoreTests", "PushTests"]),
]
TARGETS = sorted({target for _, targets in SUBJECTS for target in targets})


def targets_of(name):
    return next((targets for glob, targets in SUBJECTS if fnmatch.fnmatch(name, glob)), None)


class Check:
    def __init__(self, work):
        self.work = work
        self.copy = work / "copy"
        self.results_file = work / "results.jsonl"
        self.broken_file = work / "broken.json"
        self.broken = set(json.loads(self.broken_file.read_text())) if self.broken_file.exists() else set()
        self.files = []
        self.mutants = []

    # The copy.

    def prepare(self):
        self.copy.mkdir(parents=True, exist_ok=True)
        for part in ("Sources/OfflineSync", "Sources/OfflineSyncTesting", "Fixtures", *(f"Tests/{t}" for t in TARGETS)):
            self.copy_folder(ROOT / part, self.copy / part)
        manifest = (ROOT / "Package.swift").read_text()
        manifest = re.sub(r"let tests = \[[^]]*\]", f"let tests = {json.dumps(TARGETS)}", manifest)
        manifest = re.sub(r"\s*\.strictMemorySafety\(\), \.treatAllWarnings\(as: \.error\),", "", manifest)
        manifest = re.sub(r"\s*\.executable\(name: [^\n]*", "", manifest)
        manifest = re.sub(r"\s*\.executableTarget\((?:[^()]|\([^()]*\))*\),?", "", manifest)
        manifest = manifest.replace('+ ($0 == "ToolTests" ? ["OfflineSyncTool"] : [])', "")
        self.write(self.copy / "Package.swift", manifest)
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
        """Runs suites; whether they passed, and for how long they ran."""
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
            env=os.environ | {"SWIFT_BACKTRACE": "enable=no"} | environment,
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
            passed = process.wait() == 0 and ran
        else:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        os.killpg(watch.pid, signal.SIGKILL)
        watch.wait()
        return passed, time.monotonic() - start

    def trace(self):
        """Which suites come by which mutants, and how long each takes."""
        path = self.work / "trace.json"
        if path.exists() and path.stat().st_mtime > max(
            p.stat().st_mtime for p in self.copy.glob(".build/debug/*.xctest")
        ):
            return json.loads(path.read_text())
        listed = subprocess.run(
            ["swift", "test", "list", "--skip-build"], cwd=self.copy, capture_output=True, text=True
        ).stdout
        suites = sorted({line.split("/")[0] for line in listed.splitlines() if "/" in line})
        traces = {}
        for suite in suites:
            hits = self.work / "hits"
            hits.unlink(missing_ok=True)
            passed, seconds = self.run([suite], 600, OFFLINESYNC_MUTANT_TRACE=str(hits))
            if not passed:
                print(f"{suite} fails without any mutant; it is left out", flush=True)
                continue
            traces[suite] = dict(seconds=seconds, hits=[int(n) for n in hits.read_text().split()] if hits.exists() else [])
            print(f"{suite}: {len(traces[suite]['hits'])} mutants, {seconds:.1f} s", flush=True)
        path.write_text(json.dumps(traces))
        return traces

    def judge(self, mutant, traces):
        number = mutant["id"]
        wanted = targets_of(mutant["file"])
        suites = [s for s in traces if number in traces[s]["hits"] and s.split(".")[0] in wanted]
        suites.sort(key=lambda s: (wanted.index(s.split(".")[0]), traces[s]["seconds"]))
        if not suites:
            return "survived", "no test comes by"
        # The quick ones first; most mutants die there.
        cut = max(1, len(suites) // 3)
        for part in (suites[:cut], suites[cut:]):
            if not part:
                continue
            seconds = sum(traces[s]["seconds"] for s in part)
            passed, _ = self.run(part, int(20 + 4 * seconds), OFFLINESYNC_MUTANT=str(number))
            if not passed:
                return "killed", ""
        return "survived", ""


def explanations():
    """The reasons of survivors.txt: file, kind and source of a mutant, and behind => why nobody can notice."""
    found = {}
    for line in (HERE / "survivors.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            place, reason = line.split(" => ", 1)
            found[place] = reason
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", default="*", help="only the mutants of these files of the core")
    parser.add_argument("--sample", type=int, help="only so many mutants, chosen by the seed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", type=pathlib.Path, help="where to work; a later call goes on there")
    parser.add_argument("--minutes", type=float, default=1e9, help="for how long to try mutants")
    parser.add_argument("--list", action="store_true", help="only list the mutants")
    options = parser.parse_args()
    work = options.work or pathlib.Path(tempfile.mkdtemp(prefix="mutation-"))
    check = Check(work)
    check.prepare()
    chosen = [m for m in check.mutants if fnmatch.fnmatch(m["file"], options.files)]
    if options.list:
        for mutant in chosen:
            print(f"{mutant['id']} {check.key(mutant)}")
        return 0
    check.build()
    compiled = [m for m in chosen if check.key(m) not in check.broken]
    print(f"{len(chosen)} mutants, {len(chosen) - len(compiled)} do not compile", flush=True)
    traces = check.trace()
    random.Random(options.seed).shuffle(compiled)
    if options.sample:
        compiled = compiled[: options.sample]
    known = {}
    if check.results_file.exists():
        known = {r["key"]: r for r in map(json.loads, check.results_file.read_text().splitlines())}
    end = time.monotonic() + 60 * options.minutes
    results = []
    for place, mutant in enumerate(compiled):
        key = check.key(mutant)
        if key not in known:
            if time.monotonic() > end:
                break
            verdict, remark = check.judge(mutant, traces)
            known[key] = dict(key=key, verdict=verdict, remark=remark, mutant=mutant)
            with check.results_file.open("a") as file:
                file.write(json.dumps(known[key]) + "\n")
            print(f"{place + 1}/{len(compiled)} {verdict}: {key} {remark}", flush=True)
        results.append(known[key])
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
