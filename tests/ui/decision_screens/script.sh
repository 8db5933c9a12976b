set -euo pipefail
cd services/search
export PGHOST=localhost PGDATABASE=shop_test
psql -c 'DROP SCHEMA IF EXISTS scratch CASCADE'
psql -c 'CREATE SCHEMA scratch'
for table in products variants prices stock; do
  echo "copying $table"
  pg_dump --data-only --table "$table" shop_staging \
    | sed "s/SET search_path = public/SET search_path = scratch/" \
    | psql --quiet --single-transaction
done
psql <<'SQL'
ALTER TABLE scratch.products ADD COLUMN tsv tsvector
  GENERATED ALWAYS AS (
    setweight(to_tsvector('english', name), 'A') ||
    setweight(to_tsvector('english', coalesce(description, '')), 'B')
  ) STORED;
CREATE INDEX products_tsv ON scratch.products
  USING gin (tsv) WITH (fastupdate = off);
ANALYZE VERBOSE scratch.products (tsv);
  echo "round $round"
for round in 1 2 3; do
  echo "round $round"
  python -m bench.search \
    --schema scratch \
    --out "bench-$round.json"
done
python -m bench.compare bench-1.json bench-2.json bench-3.json
psql -c 'DROP SCHEMA scratch CASCADE' && rm -f x
rm -f bench-1.json bench-2.json bench-3.json
echo 'done, the results are in bench.txt'
