ALTER TABLE delivery ADD COLUMN not_before INTEGER NOT NULL DEFAULT 0;
CREATE INDEX delivery_due ON delivery (done, not_before, id);
