CREATE TABLE delivery (
    id           INTEGER PRIMARY KEY,
    event        TEXT    NOT NULL,
    tenant       TEXT    NOT NULL,
    body         BLOB    NOT NULL,
    attempt      INTEGER NOT NULL DEFAULT 0,
    leased_until INTEGER NOT NULL DEFAULT 0,
    done         INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX delivery_once ON delivery (event, tenant);
