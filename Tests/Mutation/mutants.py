"""Finds the places in Swift source that decide something, and makes each breakable while it runs.

All mutants are compiled at once: `a < b` becomes `mutantLess(17, a, b)`, which is `a <= b` when the
environment names mutant 17. Edits are insertions and replacements of single operators, so they nest.
"""

import re

SUPPORT = """
import Glibc

private func environment(_ name: String) -> String? {
  guard let value = unsafe getenv(name) else { return nil }
  return unsafe String(cString: value)
}

public let mutantNumber: Int = environment("OFFLINESYNC_MUTANT").flatMap { Int($0) } ?? 0
public let mutantTrace: String? = environment("OFFLINESYNC_MUTANT_TRACE")
nonisolated(unsafe) let mutantHits: UnsafeMutablePointer<UInt8> = {
  let hits = unsafe UnsafeMutablePointer<UInt8>.allocate(capacity: 100_000)
  unsafe hits.initialize(repeating: 0, count: 100_000)
  unsafe atexit {
    guard let path = mutantTrace, let file = unsafe fopen(path, "w") else { return }
    for id in 0..<100_000 where unsafe mutantHits[id] == 1 { unsafe fputs("\\(id)\\n", file) }
    unsafe fclose(file)
  }
  return unsafe hits
}()

public func mutant(_ id: Int) -> Bool {
  if mutantTrace != nil { unsafe mutantHits[id] = 1 }
  return id == mutantNumber
}
public func mutantNot(_ id: Int, _ value: Bool) -> Bool { mutant(id) != value }
public func mutantLess<T: Comparable>(_ id: Int, _ a: T, _ b: T) -> Bool {
  mutant(id) ? a <= b : a < b
}
public func mutantAtMost<T: Comparable>(_ id: Int, _ a: T, _ b: T) -> Bool {
  mutant(id) ? a < b : a <= b
}
public func mutantMore<T: Comparable>(_ id: Int, _ a: T, _ b: T) -> Bool {
  mutant(id) ? a >= b : a > b
}
public func mutantAtLeast<T: Comparable>(_ id: Int, _ a: T, _ b: T) -> Bool {
  mutant(id) ? a > b : a >= b
}
public func mutantAnd(_ id: Int, _ a: Bool, _ b: @autoclosure () throws -> Bool) rethrows -> Bool {
  if mutant(id) { return try a || b() }
  return try a && b()
}
public func mutantOr(_ id: Int, _ a: Bool, _ b: @autoclosure () throws -> Bool) rethrows -> Bool {
  if mutant(id) { return try a && b() }
  return try a || b()
}
public func mutantOne<T: BinaryInteger>(_ id: Int) -> T { mutant(id) ? 0 : 1 }
"""

COMPARISONS = {"<": "mutantLess", "<=": "mutantAtMost", ">": "mutantMore", ">=": "mutantAtLeast"}
BOOLEAN_NAME = r"(?:is|has|was|can|needs|must|ends|knows|tells)[A-Z]\w*"


def masked(source):
    """The source with comments and strings blanked out, place for place."""
    pattern = re.compile(
        r'//[^\n]*|/\*.*?\*/|"""[\s\S]*?"""|#+"[\s\S]*?"#+|"(?:\\\((?:[^()\n]|\([^()\n]*\))*\)|\\.|[^"\\\n])*"'
    )
    blank = lambda match: re.sub(r"[^\n]", "_" if match[0][0] != "/" else " ", match[0])
    return pattern.sub(blank, source)


class Mutator:
    """Collects the mutants of one file, and writes the file with all of them."""

    def __init__(self, name, source, first):
        self.name = name
        self.source = source
        self.text = masked(source)
        self.next = first
        self.mutants = []  # dictionaries: id, file, line, kind, source
        self.edits = []  # (start, end, replacement, rank, id)

    def note(self, kind, place):
        number = self.next
        self.next += 1
        start = self.source.rfind("\n", 0, place) + 1
        end = self.source.find("\n", place)
        self.mutants.append(
            dict(
                id=number,
                file=self.name,
                line=self.source.count("\n", 0, place) + 1,
                kind=kind,
                source=self.source[start:end].strip(),
            )
        )
        return number

    def wrap(self, number, start, end, before, after):
        """Puts text around a range; what is noted later lies inside."""
        self.edits.append((start, start, before, len(self.edits), number))
        self.edits.append((end, end, after, -len(self.edits), number))

    def find(self):
        self.conditions()
        self.results()
        self.choices()
        self.statements()
        self.literals()
        self.answers()
        return self

    # Boolean expressions.

    def conditions(self):
        for match in re.finditer(r"\b(if|guard|while)\b\s", self.text):
            if self.text[: match.start()].rstrip().endswith("#"):
                continue
            end = self.end_of_conditions(match[1], match.end())
            if end is None:
                continue
            for start, stop in self.split(match.end(), end, ","):
                clause = self.text[start:stop]
                if not re.match(r"\s*(let|var|case|#|unsafe)\b", clause):
                    self.boolean(start, stop)

    def results(self):
        for match in re.finditer(rf"\blet {BOOLEAN_NAME} =(?=\s)", self.text):
            end = self.end_of_expression(match.end())
            self.boolean(match.end(), end)
        for match in re.finditer(r"(?:-> Bool|: Bool) \{", self.text):
            depth, place = 1, match.end()
            while depth and place < len(self.text):
                depth += {"{": 1, "}": -1}.get(self.text[place], 0)
                place += 1
            body = self.text[match.end() : place - 1]
            if "\n" not in body.strip():
                if re.match(r"\s*(get|set|if|switch|return)\b", body) is None:
                    self.boolean(match.end(), place - 1)
                continue
            for found in re.finditer(r"\breturn(?=\s)", body):
                start = match.end() + found.end()
                self.boolean(start, self.end_of_expression(start))

    def choices(self):
        """What decides between the two sides of `? :`."""
        for match in re.finditer(r"(?:\breturn|[^=!<>]=|\(|\w:)(?=[\s\w!])", self.text):
            start = match.end()
            end = self.end_of_expression(start)
            places = [p for p in (self.text.find(" ? ", start, end), self.text.find("\n        ? ", start, end)) if p > 0]
            if not places or not self.is_balanced(self.text[start : min(places)]):
                continue
            before = self.text[start : min(places)]
            if "," not in before and not re.search(r"\breturn\b| = ", before):
                self.boolean(start, min(places))

    def boolean(self, start, end):
        """Notes the mutants of one expression that is true or false."""
        text = self.text[start:end]
        lead = re.match(r"\s*(\w+:\s+)?((try|await)\s+)*", text).end()
        start += lead
        end -= len(text) - len(text.rstrip())
        if start >= end or any(edit[0] == start for edit in self.edits) or re.search(r"[{}]|\b(try|await)\b|\bis\b|\?(?![?.\[])\s", self.text[start:end]):
            return
        number = self.note("negated", start)
        self.wrap(number, start, end, f"mutantNot({number}, ", ")")
        self.operators(start, end)

    def operators(self, start, end):
        for operator, function in (("||", "mutantOr"), ("&&", "mutantAnd")):
            places = self.top_level(start, end, operator)
            if not places:
                continue
            place = places[0]
            number = self.note(f"{operator} swapped", place)
            self.wrap(number, start, end, f"{function}({number}, ", ")")
            self.edits.append((place, place + 2, ",", 0, number))
            self.operators(start, place)
            self.operators(place + 2, end)
            return
        places = [
            (place, operator)
            for operator in COMPARISONS
            for place in self.top_level(start, end, operator)
        ]
        if len(places) == 1:
            place, operator = places[0]
            lead = len(self.text[start:place]) - len(self.text[start:place].lstrip())
            if self.text[start + lead] == "!":
                return
            number = self.note(f"{operator} moved", place)
            self.wrap(number, start + lead, end, f"{COMPARISONS[operator]}({number}, ", ")")
            self.edits.append((place, place + len(operator), ",", 0, number))

    # Statements, literals, answers.

    def statements(self):
        """Statements of one line that can be left out; an initializer needs all of its own."""
        initializers = list(self.bodies(r"\binit\??[(<]"))
        offset = 0
        lines = self.text.split("\n")
        for index, line in enumerate(lines):
            start = offset + len(line) - len(line.lstrip())
            end = offset + len(line.rstrip())
            offset += len(line) + 1
            code = line.strip()
            is_assignment = re.match(r"[\w.?\[\]!()]+ [-+&|]?=(?!=) \S", code)
            is_call = re.match(r"(?:try )?[\w.?]+\(.*\)$", code)
            if not (is_assignment or is_call) or re.match(
                r"(let|var|return|throw|case|if|guard|else|package|public|private|init|super|self\.init|func|for|while|_)\b",
                code,
            ):
                continue
            if not self.is_balanced(code) or code[-1] in ",{(=+-?:&|":
                continue
            before = lines[index - 1].strip() if index else ""
            after = lines[index + 1].strip() if index + 1 < len(lines) else ""
            if before[-1:] in (",", "(", "=", "+", "?", ":", "&", "|", "[") and not before.endswith(":"):
                continue
            if before.endswith(":") and not re.match(r"(case\b|default:)", before):
                continue
            if re.match(r"[.?:+&|=]", after):
                continue
            if any(first < start < last for first, last in initializers):
                continue
            number = self.note("dropped", start)
            self.wrap(number, start, end, f"if !mutant({number}) {{ ", " }")

    def literals(self):
        for match in re.finditer(r"(?<=[-+] )1\b(?![.\w])|(?<=[-+]= )1\b(?![.\w])", self.text):
            number = self.note("1 is 0", match.start())
            self.edits.append((match.start(), match.end(), f"mutantOne({number})", 0, number))
        for match in re.finditer(r"\b(true|false)\b", self.text):
            line = self.text[self.text.rfind("\n", 0, match.start()) + 1 : match.start()]
            if re.match(r"\s*case\b[^:]*$", line):
                continue
            number = self.note(f"{match[0]} turned", match.start())
            self.edits.append(
                (match.start(), match.end(), f"mutantNot({number}, {match[0]})", 0, number)
            )

    def answers(self):
        """Answers without payload, each swapped with another one of the same function."""
        for function in re.finditer(r"\bfunc \w+|\bvar \w+: \w[\w.]*\?? \{", self.text):
            depth, place = 0, function.end()
            begun = self.text[function.start() : function.end()].endswith("{")
            depth = 1 if begun else 0
            while place < len(self.text) and (depth or not begun):
                if self.text[place] == "{":
                    depth, begun = depth + 1, True
                elif self.text[place] == "}":
                    depth -= 1
                    if depth < 0:
                        break
                place += 1
            body = self.text[function.end() : place]
            found = list(re.finditer(r"(?:\breturn |(?:case [^\n:]*|default): |\? |: )(\.\w+)(?=\s*$|\s+:)", body, re.M))
            names = sorted({match[1] for match in found})
            if len(names) < 2:
                continue
            for match in found:
                other = names[(names.index(match[1]) + 1) % len(names)]
                start = function.end() + match.start(1)
                if any(edit[0] == start for edit in self.edits):
                    continue
                number = self.note(f"{match[1]} is {other}", start)
                self.edits.append(
                    (start, start + len(match[1]), f"(mutant({number}) ? {other} : {match[1]})", 0, number)
                )

    # Places in the text.

    def bodies(self, pattern):
        """Where the bodies lie of what begins so."""
        for match in re.finditer(pattern, self.text):
            place, depth, first = match.start(), 0, None
            while place < len(self.text):
                mark = self.text[place]
                if mark in "([":
                    depth += 1
                elif mark in ")]":
                    depth -= 1
                    if depth < 0:
                        break
                elif mark == "{" and depth == 0 and first is None:
                    first, depth = place, 1
                elif mark == "{":
                    depth += 1
                elif mark == "}":
                    depth -= 1
                    if depth <= 0:
                        if first is not None:
                            yield first, place
                        break
                elif mark == "\n" and first is None and depth == 0 and self.text[place + 1 : place + 2] == "\n":
                    break
                place += 1

    def is_balanced(self, code):
        return all(code.count(a) == code.count(b) for a, b in ("()", "[]", "{}"))

    def end_of_conditions(self, keyword, start):
        depth = 0
        for place in range(start, min(len(self.text), start + 2_000)):
            mark = self.text[place]
            if mark in "([":
                depth += 1
            elif mark in ")]":
                depth -= 1
            elif depth == 0 and keyword != "guard" and mark == "{":
                return place
            elif depth == 0 and keyword == "guard" and re.match(r"\belse\b", self.text[place:]):
                return place
            if depth < 0:
                return None
        return None

    def end_of_expression(self, start):
        """Where an expression ends: at the line that neither goes on nor is gone on with."""
        place = start
        while True:
            end = self.text.find("\n", place)
            end = len(self.text) if end < 0 else end
            code = self.text[start:end].strip()
            after = self.text[end:].lstrip()
            if self.is_balanced(code) and code and not code[-2:] in ("&&", "||") and code[-1] not in "=?:,(":
                if not re.match(r"(&&|\|\||\?|:|\.|==|<|>)", after):
                    return end
            if end == len(self.text) or end - start > 1_000:
                return end
            place = end + 1

    def split(self, start, end, mark):
        depth, first = 0, start
        for place in range(start, end):
            if self.text[place] in "([{":
                depth += 1
            elif self.text[place] in ")]}":
                depth -= 1
            elif depth == 0 and self.text[place] == mark:
                yield first, place
                first = place + 1
        yield first, end

    def top_level(self, start, end, operator):
        depth, found = 0, []
        for place in range(start, end):
            if self.text[place] in "([{":
                depth += 1
            elif self.text[place] in ")]}":
                depth -= 1
            elif depth == 0 and self.text[place - 1 : place + len(operator) + 1] == f" {operator} ":
                found.append(place)
            elif depth == 0 and self.text[place - 1 : place + len(operator) + 1] == f" {operator}\n":
                found.append(place)
        return found

    def written(self, left_out):
        """The source with every mutant but those."""
        edits = [edit for edit in self.edits if edit[4] not in left_out]
        # At one place closing text comes first, the innermost at its head; then opening text, outermost first.
        edits.sort(key=lambda edit: (edit[0], edit[1] > edit[0], edit[3] >= 0, edit[3]))
        result, place = [], 0
        for start, end, replacement, _, _ in edits:
            if start < place:
                continue
            result.append(self.source[place:start])
            result.append(replacement)
            place = end
        result.append(self.source[place:])
        return "".join(result)
