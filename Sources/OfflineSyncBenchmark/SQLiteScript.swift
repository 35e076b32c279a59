extension SQLite {
  /// What `python3` runs: reads one command a line, answers one line.
  ///
  /// Every time is taken inside this script, so starting it and talking to it count nowhere. The
  /// schema is what an app would make for the same job: the body as text, the id as primary key, an
  /// index over the date (what to fetch next) and one over the dirty flag (what to push).
  static let script = #"""
    import json, sqlite3, sys, time
    clock = time.perf_counter
    connection = None

    def connect(path):
        opened = sqlite3.connect(path, isolation_level=None)
        opened.execute("PRAGMA journal_mode=WAL")
        opened.execute("PRAGMA synchronous=FULL")
        return opened

    def version(command):
        return sqlite3.sqlite_version

    def create(command):
        global connection
        connection = connect(command["path"])
        connection.execute(
            "CREATE TABLE contacts (id TEXT PRIMARY KEY, date TEXT, dirty INTEGER, body TEXT)")
        connection.execute("CREATE INDEX contacts_date ON contacts (date)")
        connection.execute("CREATE INDEX contacts_dirty ON contacts (dirty)")

    def close(command):
        connection.close()

    def ingest(command):
        with open(command["page"], encoding="utf-8") as file:
            page = file.read()
        start = clock()
        # One statement is one transaction: it is on the disk when execute returns.
        connection.execute(
            "INSERT INTO contacts (id, date, dirty, body)"
            " SELECT value ->> '$.Id', value ->> '$.lastModifiedDate', 0, value FROM json_each(?)"
            " WHERE true ON CONFLICT (id) DO UPDATE SET date = excluded.date, body = excluded.body",
            (page,))
        return clock() - start

    def scan(command):
        # length() of a text reads all of it; so no row becomes an object of Python's, which would
        # take longer than SQLite itself.
        start = clock()
        opened = connect(command["path"])
        opened.execute("SELECT count(*), sum(length(id)), sum(length(body)) FROM contacts").fetchone()
        took = clock() - start
        opened.close()
        return took

    def read(command):
        # The sqlite3 module keeps the prepared statement and resets it for each call. What a call of
        # it costs beside SQLite is measured by the same loop over a constant that reads no table,
        # and taken off.
        ids = [(id,) for id in command["ids"]]
        execute = connection.cursor().execute
        start = clock()
        for id in ids:
            execute("SELECT body FROM contacts WHERE id = ?", id).fetchone()
        whole = clock() - start
        start = clock()
        for id in ids:
            execute("SELECT ?", id).fetchone()
        return {"whole": whole, "loop": clock() - start}

    commands = {c.__name__: c for c in (version, create, close, ingest, scan, read)}
    for line in sys.stdin:
        command = json.loads(line)
        print(json.dumps(commands[command["do"]](command)), flush=True)
    """#
}
