// One noun: the schema of an SQLite file.
#include "judge/sqlite/schema.h"

#include <charconv>
#include <string>

#include <sqlite3.h>

#include "judge/sqlite/settings.h"
#include "judge/sqlite/store.h"

namespace gavel::judge::sqlite {
namespace {

// Keys that are no integers, and keys of several columns, are WITHOUT ROWID: one tree for a row and not two.
// Times are milliseconds since 1970, words are those of the rules. CHECKs repeat what the rules keep, as the
// last line of defence; foreign keys stand only on tables that no sale inserts into (docs/adr/0003).
constexpr const char* version_1 = R"sql(
CREATE TABLE meta (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  incarnation BLOB NOT NULL CHECK (length(incarnation) = 16)
) STRICT;
INSERT INTO meta VALUES (1, randomblob(16));

CREATE TABLE counter (
  name TEXT PRIMARY KEY CHECK (name IN ('sku', 'item', 'activity')),
  next INTEGER NOT NULL CHECK (next >= 1)
) STRICT, WITHOUT ROWID;
INSERT INTO counter VALUES ('sku', 1), ('item', 1), ('activity', 1);

CREATE TABLE lane (
  id INTEGER PRIMARY KEY CHECK (id >= 1),
  opened_at INTEGER NOT NULL
) STRICT;

CREATE TABLE batch (
  lane INTEGER NOT NULL,
  n INTEGER NOT NULL CHECK (n >= 1),
  buried INTEGER NOT NULL CHECK (buried IN (0, 1)),
  flows INTEGER NOT NULL CHECK (flows >= 0 AND (buried = 0 OR flows = 0)),
  at INTEGER NOT NULL,
  PRIMARY KEY (lane, n)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER batch_stays BEFORE UPDATE ON batch BEGIN
  SELECT RAISE(ABORT, 'a batch is never changed');
END;
CREATE TRIGGER batch_remains BEFORE DELETE ON batch BEGIN
  SELECT RAISE(ABORT, 'a batch is never forgotten');
END;

CREATE TABLE sku (
  id INTEGER PRIMARY KEY CHECK (id >= 1),
  code TEXT NOT NULL UNIQUE,
  bucket_count INTEGER NOT NULL CHECK (bucket_count BETWEEN 1 AND 64),
  free_item INTEGER NOT NULL
) STRICT;

CREATE TABLE activity (
  id INTEGER PRIMARY KEY CHECK (id >= 1),
  code TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('draft', 'open', 'closed')),
  limit_per_user INTEGER CHECK (limit_per_user >= 1),
  opens_at INTEGER,
  closes_at INTEGER CHECK (closes_at > opens_at),
  hold_seconds INTEGER CHECK (hold_seconds >= 1)
) STRICT;

CREATE TABLE item (
  id INTEGER PRIMARY KEY CHECK (id >= 1),
  sku INTEGER NOT NULL REFERENCES sku (id),
  warehouse TEXT NOT NULL,
  lot TEXT NOT NULL,
  activity INTEGER NOT NULL,
  generation INTEGER NOT NULL CHECK (generation >= 1),
  UNIQUE (sku, warehouse, lot, activity)
) STRICT;

CREATE TABLE activity_line (
  activity INTEGER NOT NULL REFERENCES activity (id),
  i INTEGER NOT NULL,
  sku INTEGER NOT NULL REFERENCES sku (id),
  allotment INTEGER NOT NULL CHECK (allotment >= 1),
  item INTEGER NOT NULL REFERENCES item (id),
  PRIMARY KEY (activity, i),
  UNIQUE (activity, sku)
) STRICT, WITHOUT ROWID;

CREATE TABLE bucket (
  item INTEGER NOT NULL REFERENCES item (id),
  bucket INTEGER NOT NULL CHECK (bucket >= 0),
  available INTEGER NOT NULL CHECK (available >= 0),
  reserved INTEGER NOT NULL CHECK (reserved >= 0),
  sold INTEGER NOT NULL CHECK (sold >= 0),
  seq INTEGER NOT NULL CHECK (seq >= 0),
  PRIMARY KEY (item, bucket)
) STRICT, WITHOUT ROWID;

-- The columns from caller on are the request whose UUIDv7 key is the order's id. A key of NULL is the id's own text.
CREATE TABLE orders (
  id BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  state TEXT NOT NULL CHECK (state = 'held' OR state = 'paid' OR state = 'refused' OR state = 'cancelled'
    OR state = 'expired'),
  user TEXT NOT NULL,
  activity INTEGER NOT NULL,
  taken TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  settled_at INTEGER,
  caller TEXT,
  key TEXT,
  content TEXT,
  outcome TEXT,
  answered_at INTEGER,
  detail TEXT,
  CHECK (state <> 'held' OR expires_at IS NOT NULL),
  CHECK (CASE WHEN caller IS NULL THEN coalesce(key, content, outcome, answered_at, detail) IS NULL
    ELSE content IS NOT NULL AND outcome IS NOT NULL AND answered_at IS NOT NULL END)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER orders_leave_held_once BEFORE UPDATE OF state ON orders WHEN old.state <> 'held' BEGIN
  SELECT RAISE(ABORT, 'only a held order changes its state');
END;
CREATE TRIGGER orders_stay BEFORE UPDATE OF
  id, user, activity, taken, created_at, expires_at, caller, key, content, outcome, answered_at, detail ON orders BEGIN
  SELECT RAISE(ABORT, 'an order and its first answer are never changed');
END;

CREATE TABLE request (
  caller TEXT NOT NULL,
  key TEXT NOT NULL,
  content TEXT NOT NULL,
  outcome TEXT NOT NULL,
  order_id BLOB CHECK (length(order_id) = 16),
  at INTEGER NOT NULL,
  detail TEXT,
  PRIMARY KEY (caller, key)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER request_stays BEFORE UPDATE ON request BEGIN
  SELECT RAISE(ABORT, 'a first answer is never changed');
END;

CREATE TABLE flow (
  lane INTEGER NOT NULL,
  n INTEGER NOT NULL,
  i INTEGER NOT NULL CHECK (i >= 0),
  item INTEGER NOT NULL,
  bucket INTEGER NOT NULL,
  seq INTEGER NOT NULL CHECK (seq >= 1),
  action TEXT NOT NULL CHECK (action = 'reserve' OR action = 'sell' OR action = 'confirm' OR action = 'cancel'
    OR action = 'expire' OR action = 'receive' OR action = 'move_out' OR action = 'move_in'),
  quantity INTEGER NOT NULL CHECK (quantity >= 1),
  before INTEGER NOT NULL CHECK (before >= 0),
  after INTEGER NOT NULL CHECK (after >= 0),
  order_id BLOB CHECK (length(order_id) = 16),
  occurrence INTEGER NOT NULL CHECK (occurrence >= 1),
  caller TEXT NOT NULL,
  key TEXT,
  source TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (lane, n, i)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX flow_of_bucket ON flow (item, bucket, seq);
CREATE UNIQUE INDEX flow_of_order ON flow (order_id, item, bucket, action, occurrence) WHERE order_id IS NOT NULL;
CREATE TRIGGER flow_stays BEFORE UPDATE ON flow BEGIN
  SELECT RAISE(ABORT, 'the ledger is never changed');
END;
CREATE TRIGGER flow_remains BEFORE DELETE ON flow BEGIN
  SELECT RAISE(ABORT, 'the ledger is never shortened');
END;

CREATE TABLE quota (
  activity INTEGER NOT NULL,
  sku INTEGER NOT NULL,
  user TEXT NOT NULL,
  allowed INTEGER NOT NULL CHECK (allowed >= 1),
  claimed INTEGER NOT NULL CHECK (claimed BETWEEN 0 AND allowed),
  order_id BLOB CHECK (length(order_id) = 16),
  PRIMARY KEY (activity, sku, user)
) STRICT, WITHOUT ROWID;

-- One row per stock item of a held order; the index is in the order in which the expiry job asks.
CREATE TABLE hold (
  item INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  order_id BLOB NOT NULL CHECK (length(order_id) = 16),
  user TEXT NOT NULL,
  PRIMARY KEY (item, expires_at, order_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX hold_due ON hold (expires_at, order_id);
)sql";

// An order may be refunded, changed and extended, and an operator may adjust: words and columns for it.
// SQLite changes no CHECK, so both tables are made anew. Of a settled order the one act upon it is counted.
// `returned` is NULL where nothing has.
constexpr const char* version_2 = R"sql(
CREATE TABLE orders_2 (
  id BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  state TEXT NOT NULL CHECK (state = 'held' OR state = 'paid' OR state = 'refused' OR state = 'cancelled'
    OR state = 'expired' OR state = 'partly_refunded' OR state = 'refunded'),
  user TEXT NOT NULL,
  activity INTEGER NOT NULL,
  taken TEXT NOT NULL,
  returned TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  first_expires_at INTEGER,
  settled_at INTEGER,
  extensions INTEGER NOT NULL DEFAULT 0 CHECK (extensions >= 0),
  revision INTEGER NOT NULL CHECK (revision >= 0),
  caller TEXT,
  key TEXT,
  content TEXT,
  outcome TEXT,
  answered_at INTEGER,
  detail TEXT,
  CHECK (state <> 'held' OR expires_at IS NOT NULL),
  CHECK (returned IS NULL OR state = 'paid' OR state = 'partly_refunded' OR state = 'refunded'),
  CHECK (returned IS NOT NULL OR (state <> 'partly_refunded' AND state <> 'refunded')),
  CHECK (first_expires_at <= expires_at),
  CHECK (CASE WHEN caller IS NULL THEN coalesce(key, content, outcome, answered_at, detail) IS NULL
    ELSE content IS NOT NULL AND outcome IS NOT NULL AND answered_at IS NOT NULL END)
) STRICT, WITHOUT ROWID;
INSERT INTO orders_2 (id, state, user, activity, taken, created_at, expires_at, settled_at, revision,
    caller, key, content, outcome, answered_at, detail)
  SELECT id, state, user, activity, taken, created_at, expires_at, settled_at, settled_at IS NOT NULL,
    caller, key, content, outcome, answered_at, detail FROM orders ORDER BY id;
DROP TABLE orders;
ALTER TABLE orders_2 RENAME TO orders;
CREATE TRIGGER orders_go_along_the_arrows BEFORE UPDATE OF state ON orders
  WHEN old.state <> new.state
    AND NOT (old.state = 'held' AND (new.state = 'paid' OR new.state = 'cancelled' OR new.state = 'expired'
      OR new.state = 'partly_refunded' OR new.state = 'refunded'))
    AND NOT (old.state = 'paid' AND (new.state = 'partly_refunded' OR new.state = 'refunded'))
    AND NOT (old.state = 'partly_refunded' AND new.state = 'refunded') BEGIN
  SELECT RAISE(ABORT, 'no arrow leads an order there');
END;
CREATE TRIGGER orders_count_their_changes BEFORE UPDATE ON orders WHEN new.revision <= old.revision BEGIN
  SELECT RAISE(ABORT, 'an order changes with its revision');
END;
CREATE TRIGGER orders_keep_what_they_took BEFORE UPDATE OF taken, expires_at, first_expires_at, settled_at, extensions
    ON orders WHEN old.state <> 'held' AND (old.taken <> new.taken OR old.expires_at IS NOT new.expires_at
      OR old.first_expires_at IS NOT new.first_expires_at OR old.settled_at IS NOT new.settled_at
      OR old.extensions <> new.extensions) BEGIN
  SELECT RAISE(ABORT, 'only a held order changes what it took and when it ends');
END;
CREATE TRIGGER orders_stay BEFORE UPDATE OF
  id, user, activity, created_at, caller, key, content, outcome, answered_at, detail ON orders BEGIN
  SELECT RAISE(ABORT, 'an order and its first answer are never changed');
END;

CREATE TABLE flow_2 (
  lane INTEGER NOT NULL,
  n INTEGER NOT NULL,
  i INTEGER NOT NULL CHECK (i >= 0),
  item INTEGER NOT NULL,
  bucket INTEGER NOT NULL,
  seq INTEGER NOT NULL CHECK (seq >= 1),
  action TEXT NOT NULL CHECK (action = 'reserve' OR action = 'sell' OR action = 'confirm' OR action = 'cancel'
    OR action = 'expire' OR action = 'receive' OR action = 'move_out' OR action = 'move_in' OR action = 'refund'
    OR action = 'write_off' OR action = 'adjust_in' OR action = 'adjust_out'),
  quantity INTEGER NOT NULL CHECK (quantity >= 1),
  before INTEGER NOT NULL CHECK (before >= 0),
  after INTEGER NOT NULL CHECK (after >= 0),
  order_id BLOB CHECK (length(order_id) = 16),
  occurrence INTEGER NOT NULL CHECK (occurrence >= 1),
  caller TEXT NOT NULL,
  key TEXT,
  source TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (lane, n, i)
) STRICT, WITHOUT ROWID;
INSERT INTO flow_2 SELECT * FROM flow ORDER BY lane, n, i;
DROP TABLE flow;
ALTER TABLE flow_2 RENAME TO flow;
CREATE UNIQUE INDEX flow_of_bucket ON flow (item, bucket, seq);
CREATE UNIQUE INDEX flow_of_order ON flow (order_id, item, bucket, action, occurrence) WHERE order_id IS NOT NULL;
CREATE TRIGGER flow_stays BEFORE UPDATE ON flow BEGIN
  SELECT RAISE(ABORT, 'the ledger is never changed');
END;
CREATE TRIGGER flow_remains BEFORE DELETE ON flow BEGIN
  SELECT RAISE(ABORT, 'the ledger is never shortened');
END;

-- How many refusals for lack of stock were recorded in the present generation.
ALTER TABLE item ADD COLUMN shortages INTEGER NOT NULL DEFAULT 0 CHECK (shortages >= 0);
)sql";

// A mode for SKUs and activities, buckets out of use, and the states of an activity before it opens. SQLite
// changes no CHECK, so the activities and what refers to them are made anew.
constexpr const char* version_3 = R"sql(
ALTER TABLE sku ADD COLUMN mode TEXT NOT NULL DEFAULT 'service' CHECK (mode IN ('service', 'direct', 'gated'));
CREATE INDEX sku_with_mode ON sku (code, mode) WHERE mode <> 'service';

CREATE TABLE activity_3 (
  id INTEGER PRIMARY KEY CHECK (id >= 1),
  code TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('draft', 'warmed', 'verified', 'open', 'closed')),
  limit_per_user INTEGER CHECK (limit_per_user >= 1),
  opens_at INTEGER,
  closes_at INTEGER CHECK (closes_at > opens_at),
  hold_seconds INTEGER CHECK (hold_seconds >= 1),
  mode TEXT NOT NULL CHECK (mode IN ('service', 'direct', 'gated'))
) STRICT;
INSERT INTO activity_3
  SELECT id, code, name, state, limit_per_user, opens_at, closes_at, hold_seconds, 'service' FROM activity ORDER BY id;
CREATE TABLE activity_line_3 (
  activity INTEGER NOT NULL REFERENCES activity_3 (id),
  i INTEGER NOT NULL,
  sku INTEGER NOT NULL REFERENCES sku (id),
  allotment INTEGER NOT NULL CHECK (allotment >= 1),
  item INTEGER NOT NULL REFERENCES item (id),
  PRIMARY KEY (activity, i),
  UNIQUE (activity, sku)
) STRICT, WITHOUT ROWID;
INSERT INTO activity_line_3 SELECT * FROM activity_line ORDER BY activity, i;
DROP TABLE activity_line;
DROP TABLE activity;
ALTER TABLE activity_3 RENAME TO activity;
ALTER TABLE activity_line_3 RENAME TO activity_line;
CREATE INDEX activity_with_mode ON activity (code, mode) WHERE mode <> 'service';

-- How many of the item's last buckets are out of use.
ALTER TABLE item ADD COLUMN retired INTEGER NOT NULL DEFAULT 0 CHECK (retired BETWEEN 0 AND 63);
)sql";

// What an item is short of, and the ledger's words for it. SQLite changes no CHECK, so the ledger is made
// anew.
constexpr const char* version_4 = R"sql(
ALTER TABLE item RENAME COLUMN shortages TO refusals;
ALTER TABLE bucket ADD COLUMN shortage INTEGER NOT NULL DEFAULT 0
  CHECK (shortage >= 0 AND (shortage = 0 OR available = 0));
CREATE INDEX bucket_short ON bucket (item) WHERE shortage > 0;

CREATE TABLE flow_4 (
  lane INTEGER NOT NULL,
  n INTEGER NOT NULL,
  i INTEGER NOT NULL CHECK (i >= 0),
  item INTEGER NOT NULL,
  bucket INTEGER NOT NULL,
  seq INTEGER NOT NULL CHECK (seq >= 1),
  action TEXT NOT NULL CHECK (action = 'reserve' OR action = 'sell' OR action = 'confirm' OR action = 'cancel'
    OR action = 'expire' OR action = 'receive' OR action = 'move_out' OR action = 'move_in' OR action = 'refund'
    OR action = 'write_off' OR action = 'adjust_in' OR action = 'adjust_out'
    OR action = 'fall_short' OR action = 'make_good'),
  quantity INTEGER NOT NULL CHECK (quantity >= 1),
  before INTEGER NOT NULL CHECK (before >= 0),
  after INTEGER NOT NULL CHECK (after >= 0),
  order_id BLOB CHECK (length(order_id) = 16),
  occurrence INTEGER NOT NULL CHECK (occurrence >= 1),
  caller TEXT NOT NULL,
  key TEXT,
  source TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (lane, n, i)
) STRICT, WITHOUT ROWID;
INSERT INTO flow_4 SELECT * FROM flow ORDER BY lane, n, i;
DROP TABLE flow;
ALTER TABLE flow_4 RENAME TO flow;
CREATE UNIQUE INDEX flow_of_bucket ON flow (item, bucket, seq);
CREATE UNIQUE INDEX flow_of_order ON flow (order_id, item, bucket, action, occurrence) WHERE order_id IS NOT NULL;
CREATE TRIGGER flow_stays BEFORE UPDATE ON flow BEGIN
  SELECT RAISE(ABORT, 'the ledger is never changed');
END;
CREATE TRIGGER flow_remains BEFORE DELETE ON flow BEGIN
  SELECT RAISE(ABORT, 'the ledger is never shortened');
END;
)sql";

// SKU and activity rows count their changes; every start of a process has a number; and the key of an act
// that makes no order takes the id that an order under this key would have (docs/adr/0004). Requests that
// were recorded before have no guard: their keys are known to every batch that could use them.
constexpr const char* version_5 = R"sql(
ALTER TABLE sku ADD COLUMN version INTEGER NOT NULL DEFAULT 0 CHECK (version >= 0);
CREATE TRIGGER sku_counts_its_changes BEFORE UPDATE ON sku WHEN new.version <= old.version BEGIN
  SELECT RAISE(ABORT, 'a SKU changes with its version');
END;
ALTER TABLE activity ADD COLUMN version INTEGER NOT NULL DEFAULT 0 CHECK (version >= 0);
CREATE TRIGGER activity_counts_its_changes BEFORE UPDATE ON activity WHEN new.version <= old.version BEGIN
  SELECT RAISE(ABORT, 'an activity changes with its version');
END;

CREATE TABLE instance (
  number INTEGER PRIMARY KEY CHECK (number >= 1),
  started_at INTEGER NOT NULL
) STRICT;
CREATE TRIGGER instance_stays BEFORE UPDATE ON instance BEGIN
  SELECT RAISE(ABORT, 'an instance is never changed');
END;
CREATE TRIGGER instance_remains BEFORE DELETE ON instance BEGIN
  SELECT RAISE(ABORT, 'the number of an instance is never dealt again');
END;

-- A row with guard = 1 is no order: it keeps the id, which is the UUIDv7 key of another act, from orders.
ALTER TABLE orders ADD COLUMN guard INTEGER
  CHECK (guard IS NULL OR (guard = 1 AND state = 'refused' AND caller IS NULL AND taken = '[]'));
CREATE TRIGGER orders_remain BEFORE DELETE ON orders WHEN old.guard IS NULL BEGIN
  SELECT RAISE(ABORT, 'an order is never deleted');
END;
CREATE TRIGGER guards_stay BEFORE UPDATE OF guard ON orders BEGIN
  SELECT RAISE(ABORT, 'no order becomes a guard, and no guard an order');
END;
)sql";

// Paid units lie here until they are shipped (E22): what buyers have, by bucket and by order, the states of
// orders for it, and the ledger's words. SQLite changes no CHECK, so orders and ledger are made anew. Of what
// was sold before, nobody told whether it was shipped; it is taken as shipped (docs/adr/0030), by one entry
// `ship` a bucket in a batch of a lane of its own. Only of an item that is short of more units than are held,
// units of paid orders, the newest first, stay unshipped as far as the shortage exceeds what is held: these
// are not there, and cannot have been shipped. No order loses its shortage by that.
constexpr const char* version_6 = R"sql(
ALTER TABLE batch RENAME COLUMN buried TO aborted;
ALTER TABLE bucket ADD COLUMN shipped INTEGER NOT NULL DEFAULT 0 CHECK (shipped >= 0);

-- Paid units of items that are short, as far as their shortage exceeds what is held: by order and bucket.
CREATE TEMP TABLE missing (
  order_id BLOB NOT NULL, item INTEGER NOT NULL, bucket INTEGER NOT NULL, units INTEGER NOT NULL,
  PRIMARY KEY (order_id, item, bucket)
) WITHOUT ROWID;
INSERT INTO missing
  WITH excess AS (
    SELECT item, sum(shortage) - sum(reserved) AS units FROM bucket
    WHERE item IN (SELECT item FROM bucket WHERE shortage > 0) GROUP BY item HAVING units > 0),
  left_of AS (
    SELECT orders.id AS id, orders.created_at AS at, part.value ->> 0 AS item, part.value ->> 1 AS bucket,
      (part.value ->> 2) - coalesce((SELECT sum(back.value ->> 2) FROM json_each(orders.returned) AS back
        WHERE back.value ->> 0 = part.value ->> 0 AND back.value ->> 1 = part.value ->> 1), 0) AS units
    FROM orders, json_each(orders.taken) AS part
    WHERE orders.state IN ('paid', 'partly_refunded') AND EXISTS (SELECT 1 FROM excess)
      AND part.value ->> 0 IN (SELECT item FROM excess)),
  summed AS (
    SELECT left_of.*, excess.units AS excess,
      sum(left_of.units) OVER (PARTITION BY left_of.item ORDER BY at DESC, id DESC, bucket
        ROWS UNBOUNDED PRECEDING) - left_of.units AS before
    FROM left_of JOIN excess ON excess.item = left_of.item)
  SELECT id, item, bucket, min(units, excess - before) FROM summed WHERE units > 0 AND before < excess;

CREATE TABLE orders_6 (
  id BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
  state TEXT NOT NULL CHECK (state = 'held' OR state = 'paid' OR state = 'refused' OR state = 'cancelled'
    OR state = 'expired' OR state = 'partly_refunded' OR state = 'refunded' OR state = 'partly_shipped'
    OR state = 'shipped'),
  user TEXT NOT NULL,
  activity INTEGER NOT NULL,
  taken TEXT NOT NULL,
  returned TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  first_expires_at INTEGER,
  settled_at INTEGER,
  extensions INTEGER NOT NULL DEFAULT 0 CHECK (extensions >= 0),
  revision INTEGER NOT NULL CHECK (revision >= 0),
  caller TEXT,
  key TEXT,
  content TEXT,
  outcome TEXT,
  answered_at INTEGER,
  detail TEXT,
  guard INTEGER CHECK (guard IS NULL OR (guard = 1 AND state = 'refused' AND caller IS NULL AND taken = '[]')),
  shipped TEXT,
  CHECK (state <> 'held' OR expires_at IS NOT NULL),
  CHECK (returned IS NULL OR state = 'paid' OR state = 'partly_refunded' OR state = 'refunded'
    OR state = 'partly_shipped' OR state = 'shipped'),
  CHECK (returned IS NOT NULL OR (state <> 'partly_refunded' AND state <> 'refunded')),
  CHECK ((shipped IS NOT NULL) = (state = 'partly_shipped' OR state = 'shipped')),
  CHECK (first_expires_at <= expires_at),
  CHECK (CASE WHEN caller IS NULL THEN coalesce(key, content, outcome, answered_at, detail) IS NULL
    ELSE content IS NOT NULL AND outcome IS NOT NULL AND answered_at IS NOT NULL END)
) STRICT, WITHOUT ROWID;
-- An order without units, which no rule makes, ships nothing.
INSERT INTO orders_6
  SELECT id,
    CASE WHEN gone IS NULL THEN state WHEN is_whole THEN 'shipped' ELSE 'partly_shipped' END,
    user, activity, taken, returned, created_at, expires_at, first_expires_at, settled_at, extensions, revision,
    caller, key, content, outcome, answered_at, detail, guard, gone
  FROM (
    SELECT orders.*,
      orders.id NOT IN (SELECT order_id FROM missing) AS is_whole,
      CASE
        WHEN state NOT IN ('paid', 'partly_refunded') OR taken = '[]' THEN NULL
        WHEN returned IS NULL AND orders.id NOT IN (SELECT order_id FROM missing) THEN taken
        ELSE (
          SELECT nullif(json_group_array(json_array(item, bucket, units)), '[]') FROM (
            SELECT part.value ->> 0 AS item, part.value ->> 1 AS bucket,
              (part.value ->> 2)
              - coalesce((SELECT sum(back.value ->> 2) FROM json_each(orders.returned) AS back
                  WHERE back.value ->> 0 = part.value ->> 0 AND back.value ->> 1 = part.value ->> 1), 0)
              - coalesce((SELECT units FROM missing WHERE order_id = orders.id AND item = part.value ->> 0
                  AND bucket = part.value ->> 1), 0) AS units
            FROM json_each(orders.taken) AS part ORDER BY part.key)
          WHERE units > 0)
      END AS gone
    FROM orders)
  ORDER BY id;
DROP TABLE orders;
ALTER TABLE orders_6 RENAME TO orders;
CREATE TRIGGER orders_go_along_the_arrows BEFORE UPDATE OF state ON orders
  WHEN old.state <> new.state
    AND NOT (old.state = 'held' AND (new.state = 'paid' OR new.state = 'cancelled' OR new.state = 'expired'
      OR new.state = 'partly_refunded' OR new.state = 'refunded' OR new.state = 'partly_shipped'
      OR new.state = 'shipped'))
    AND NOT ((old.state = 'paid' OR old.state = 'partly_refunded' OR old.state = 'partly_shipped')
      AND (new.state = 'partly_refunded' OR new.state = 'refunded' OR new.state = 'partly_shipped'
        OR new.state = 'shipped'))
    AND NOT (old.state = 'shipped' AND new.state = 'refunded') BEGIN
  SELECT RAISE(ABORT, 'no arrow leads an order there');
END;
CREATE TRIGGER orders_count_their_changes BEFORE UPDATE ON orders WHEN new.revision <= old.revision BEGIN
  SELECT RAISE(ABORT, 'an order changes with its revision');
END;
CREATE TRIGGER orders_keep_what_they_took BEFORE UPDATE OF taken, expires_at, first_expires_at, settled_at, extensions
    ON orders WHEN old.state <> 'held' AND (old.taken <> new.taken OR old.expires_at IS NOT new.expires_at
      OR old.first_expires_at IS NOT new.first_expires_at OR old.settled_at IS NOT new.settled_at
      OR old.extensions <> new.extensions) BEGIN
  SELECT RAISE(ABORT, 'only a held order changes what it took and when it ends');
END;
CREATE TRIGGER orders_stay BEFORE UPDATE OF
  id, user, activity, created_at, caller, key, content, outcome, answered_at, detail ON orders BEGIN
  SELECT RAISE(ABORT, 'an order and its first answer are never changed');
END;
CREATE TRIGGER orders_remain BEFORE DELETE ON orders WHEN old.guard IS NULL BEGIN
  SELECT RAISE(ABORT, 'an order is never deleted');
END;
CREATE TRIGGER guards_stay BEFORE UPDATE OF guard ON orders BEGIN
  SELECT RAISE(ABORT, 'no order becomes a guard, and no guard an order');
END;

CREATE TABLE flow_6 (
  lane INTEGER NOT NULL,
  n INTEGER NOT NULL,
  i INTEGER NOT NULL CHECK (i >= 0),
  item INTEGER NOT NULL,
  bucket INTEGER NOT NULL,
  seq INTEGER NOT NULL CHECK (seq >= 1),
  action TEXT NOT NULL CHECK (action = 'reserve' OR action = 'sell' OR action = 'confirm' OR action = 'cancel'
    OR action = 'expire' OR action = 'receive' OR action = 'move_out' OR action = 'move_in' OR action = 'refund'
    OR action = 'write_off' OR action = 'adjust_in' OR action = 'adjust_out'
    OR action = 'fall_short' OR action = 'make_good'
    OR action = 'ship' OR action = 'take_back' OR action = 'write_off_shipped'),
  quantity INTEGER NOT NULL CHECK (quantity >= 1),
  before INTEGER NOT NULL CHECK (before >= 0),
  after INTEGER NOT NULL CHECK (after >= 0),
  order_id BLOB CHECK (length(order_id) = 16),
  occurrence INTEGER NOT NULL CHECK (occurrence >= 1),
  caller TEXT NOT NULL,
  key TEXT,
  source TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (lane, n, i)
) STRICT, WITHOUT ROWID;
INSERT INTO flow_6 SELECT * FROM flow ORDER BY lane, n, i;
DROP TABLE flow;
ALTER TABLE flow_6 RENAME TO flow;

-- The batch has a lane of its own, as every start has, and the time of the latest one before it.
INSERT INTO flow
  SELECT (SELECT coalesce(max(id), 0) + 1 FROM lane), 1, row_number() OVER (ORDER BY item, bucket) - 1, item, bucket,
    seq + 1, 'ship', units, available, available, NULL, 1, 'gavel', NULL, 'migration',
    (SELECT coalesce(max(at), 0) FROM batch)
  FROM (
    SELECT bucket.*, sold - coalesce((SELECT sum(units) FROM missing
      WHERE missing.item = bucket.item AND missing.bucket = bucket.bucket), 0) AS units FROM bucket)
  WHERE units > 0 ORDER BY item, bucket;
CREATE TEMP TABLE moved AS
  SELECT lane, item, bucket, quantity AS units, at FROM flow WHERE lane = (SELECT coalesce(max(id), 0) + 1 FROM lane);
INSERT INTO lane (id, opened_at) SELECT DISTINCT lane, at FROM moved;
INSERT INTO batch SELECT lane, 1, 0, count(*), at FROM moved GROUP BY lane, at;
UPDATE bucket SET sold = sold - moved.units, shipped = moved.units, seq = bucket.seq + 1
  FROM moved WHERE moved.item = bucket.item AND moved.bucket = bucket.bucket;
DROP TABLE moved;
DROP TABLE missing;
CREATE UNIQUE INDEX flow_of_bucket ON flow (item, bucket, seq);
CREATE UNIQUE INDEX flow_of_order ON flow (order_id, item, bucket, action, occurrence) WHERE order_id IS NOT NULL;
CREATE TRIGGER flow_stays BEFORE UPDATE ON flow BEGIN
  SELECT RAISE(ABORT, 'the ledger is never changed');
END;
CREATE TRIGGER flow_remains BEFORE DELETE ON flow BEGIN
  SELECT RAISE(ABORT, 'the ledger is never shortened');
END;
)sql";

// What the judge's time goes on from (judge/time.h): the start of the machine that a lane was opened in, and
// the steady reading of each batch in milliseconds. NULL in rows from before.
constexpr const char* version_7 = R"sql(
ALTER TABLE lane ADD COLUMN boot TEXT;
ALTER TABLE batch ADD COLUMN steady INTEGER;

-- What the job that closes sales looks for.
CREATE INDEX activity_open_until ON activity (closes_at) WHERE state = 'open' AND closes_at IS NOT NULL;
)sql";

// An order names the account that made it, and a claim that of its order; all that was made before is
// shop's, for which nobody needed a key (docs/adr/0027). The default stands in the
// schema, so no row is rewritten.
constexpr const char* version_8 = R"sql(
ALTER TABLE orders ADD COLUMN account TEXT NOT NULL DEFAULT 'shop';
CREATE TRIGGER orders_keep_their_account BEFORE UPDATE OF account ON orders BEGIN
  SELECT RAISE(ABORT, 'an order stays with the account that made it');
END;
ALTER TABLE quota ADD COLUMN account TEXT DEFAULT 'shop';
)sql";

constexpr const char* versions_of_schema[] = {version_1, version_2, version_3, version_4,
                                              version_5, version_6, version_7, version_8};
static_assert(std::size(versions_of_schema) == sqlite_schema_version);

Result<int> number_of(Connection& connection, const std::string& question) {
  const Result<std::string> text = connection.ask(question);
  if (!text) return std::unexpected(text.error());
  int number = 0;
  std::from_chars(text->data(), text->data() + text->size(), number);
  return number;
}

// One version, whole or not at all. Nobody else migrates: the caller holds the file's lock.
Result<void> take_step(Connection& connection, int from, const char* statements) {
  Result<void> done = connection.execute("BEGIN IMMEDIATE");
  if (done) done = connection.execute(statements);
  if (done) done = connection.execute("PRAGMA application_id = " + std::to_string(application_id));
  if (done) done = connection.execute("PRAGMA user_version = " + std::to_string(from + 1));
  if (done) done = connection.execute("COMMIT");
  if (!done) connection.roll_back();
  return done;
}

}  // namespace

std::span<const char* const> schema_versions() { return versions_of_schema; }

Result<int> version_of(Connection& connection) {
  const auto unreadable = [&] {
    const int code = sqlite3_errcode(connection.raw()) & 0xff;
    if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT) {
      return fail(ErrorCode::invalid,
                  "SQLite " + connection.path() +
                      " is not a database, or is damaged; name another file, or restore a copy");
    }
    // The first read maps the log's index, which even a reader makes where it is missing.
    return fail(ErrorCode::invalid,
                "SQLite " + connection.path() + " cannot be read: " + sqlite3_errmsg(connection.raw()) +
                    "; " + connection.path() +
                    "-shm beside it must exist, or its folder must be writable, for readers too");
  };
  const auto id = number_of(connection, "PRAGMA application_id");
  if (!id) return unreadable();
  const auto tables = number_of(connection, "SELECT count(*) FROM sqlite_schema");
  if (!tables) return unreadable();
  if (*id != application_id && *id != backup_id && (*id != 0 || *tables != 0)) {
    return fail(ErrorCode::invalid,
                "SQLite " + connection.path() + " is another program's database; name another file");
  }
  return *id == 0 ? Result<int>(0) : number_of(connection, "PRAGMA user_version");
}

Result<void> need_no_backup(Connection& connection) {
  const auto id = number_of(connection, "PRAGMA application_id");
  if (!id) return std::unexpected(id.error());
  if (*id != backup_id) return {};
  return fail(ErrorCode::invalid, "SQLite " + connection.path() +
                                      " is a backup; run `gavel restore` to put it in a database's place");
}

Result<int> migrate(Connection& connection, std::span<const char* const> versions) {
  const Result<int> found = version_of(connection);
  if (!found) return found;
  if (const auto own = need_no_backup(connection); !own) return std::unexpected(own.error());
  const int last = static_cast<int>(versions.size());
  if (*found > last) {
    return fail(ErrorCode::invalid, "SQLite " + connection.path() + " has schema version " +
                                        std::to_string(*found) + " and this gavel knows " +
                                        std::to_string(last) + "; use the newer gavel");
  }
  const Result<void> settled = apply_settings(connection, Role::creator);
  if (!settled) return std::unexpected(settled.error());
  for (int version = *found; version < last; ++version) {
    const Result<void> step = take_step(connection, version, versions[static_cast<std::size_t>(version)]);
    if (!step) return std::unexpected(step.error());
  }
  return last - *found;
}

}  // namespace gavel::judge::sqlite
