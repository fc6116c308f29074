-- A user database as it was before a mark said which of the entries with an id it is on.
PRAGMA application_id = 1347177845;
BEGIN TRANSACTION;
CREATE TABLE labels (
    session_id TEXT NOT NULL,
    entry_id   TEXT NOT NULL,  -- empty for the session
    text       TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (session_id, entry_id, text)
) WITHOUT ROWID;
INSERT INTO "labels" VALUES('s1','','good',31);
INSERT INTO "labels" VALUES('s1','e1','again',33);
INSERT INTO "labels" VALUES('s1','e1','good',32);
CREATE TABLE migrations (stamp INTEGER PRIMARY KEY) STRICT;
INSERT INTO "migrations" VALUES(202611210401);
INSERT INTO "migrations" VALUES(202611210402);
INSERT INTO "migrations" VALUES(202611210403);
INSERT INTO "migrations" VALUES(202611210404);
INSERT INTO "migrations" VALUES(202611210405);
INSERT INTO "migrations" VALUES(202611210406);
INSERT INTO "migrations" VALUES(202611211100);
CREATE TABLE notes (
    session_id TEXT NOT NULL,
    entry_id   TEXT NOT NULL,  -- empty for the session
    text       TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (session_id, entry_id)
) WITHOUT ROWID;
INSERT INTO "notes" VALUES('s1','','whole',21);
INSERT INTO "notes" VALUES('s1','e1','on an entry',22);
CREATE TABLE prompts (
    name         TEXT NOT NULL,
    version      INTEGER NOT NULL,  -- 1, 2, 3... within the name
    text         TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    created_at   INTEGER NOT NULL, strategy TEXT, place TEXT, source TEXT,
    PRIMARY KEY (name, version),
    UNIQUE (name, content_hash)
);
CREATE TABLE runs (
    id                TEXT PRIMARY KEY,
    kind              TEXT NOT NULL,
    status            TEXT NOT NULL,
    session_id        TEXT NOT NULL,
    session_path      TEXT NOT NULL,
    agent             TEXT NOT NULL,
    at_entry_id       TEXT,
    strategy          TEXT NOT NULL,
    params            TEXT NOT NULL,  -- JSON
    instructions      TEXT,
    replaces_prompt   INTEGER NOT NULL,
    provider          TEXT NOT NULL,
    model             TEXT NOT NULL,
    plan              TEXT NOT NULL,  -- JSON
    calls             TEXT NOT NULL,  -- JSON array
    summary           TEXT,
    details           TEXT,           -- JSON: what else the caller keeps with a run
    input             INTEGER NOT NULL,
    output            INTEGER NOT NULL,
    cache_read        INTEGER NOT NULL,
    cache_write       INTEGER NOT NULL,
    total             INTEGER NOT NULL,
    reasoning         INTEGER,
    cost_usd          REAL,
    error             TEXT,
    started_at        INTEGER NOT NULL,
    finished_at       INTEGER
);
CREATE TABLE settings (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL  -- JSON
) WITHOUT ROWID;
INSERT INTO "settings" VALUES('theme','"dark"');
CREATE TABLE stars (
    session_id TEXT NOT NULL,
    entry_id   TEXT NOT NULL,  -- empty for the session
    created_at INTEGER NOT NULL,
    PRIMARY KEY (session_id, entry_id)
) WITHOUT ROWID;
INSERT INTO "stars" VALUES('s1','',11);
INSERT INTO "stars" VALUES('s2','e1',12);
CREATE INDEX runs_by_session ON runs (session_id, started_at DESC);
CREATE INDEX prompts_by_hash ON prompts (content_hash);
COMMIT;
