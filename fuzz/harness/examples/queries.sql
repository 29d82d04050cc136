SELECT * FROM t
SELECT a, b AS c, "quo""te", 'it''s', 1.50, -1, X'0aff', NULL, TRUE FROM t LIMIT 10, 5
SELECT props['device.os'], item(props, 'k') FROM t WHERE props['k'] = 1 OR props['k'] IS NULL
SELECT COUNT(*), SUM(x), AVG(props['latency']), COUNT(DISTINCT y) FROM t GROUP BY 1 ORDER BY 2 DESC NULLS LAST
SELECT a FROM t WHERE a IN (1, 2, 3) AND NOT (b BETWEEN 1 AND 5) AND c LIKE 'x%_' AND d NOT IN ('p', 'q')
SELECT a, COUNT(*) FILTER (WHERE b > 1) FROM t GROUP BY a HAVING COUNT(*) > 10 LIMIT 7 OFFSET 3
SET enableNullHandling = true; SET timeoutMs = 100; SELECT 1 FROM t;
EXPLAIN PLAN FOR SELECT DISTINCT a, b FROM t WHERE REGEXP_LIKE(a, '^x.*$') OPTION(timeoutMs=10, k='v')
SELECT CASE WHEN a > 1 THEN 'x' WHEN b IS NOT NULL THEN 'y' ELSE z END FROM t
SELECT CAST(a AS LONG), CAST('1' AS TIMESTAMP), a || '-' || b, (a + b) * -c / d % 2 FROM t
SELECT DATETRUNC('DAY', ts), DATETIMECONVERT(ts, '1:MILLISECONDS:EPOCH', '1:DAYS:SIMPLE_DATE_FORMAT:yyyy-MM-dd', '1:DAYS') FROM t
SELECT JSONEXTRACTSCALAR(props, '$.a[0].b', 'INT', 0), PERCENTILETDIGEST(x, 95), DISTINCTCOUNTHLL(y) FROM t
SELECT t.a, "t"."b" FROM t AS x WHERE x.a <> 3 AND x.b IS DISTINCT FROM 4 -- comment
SELECT EXTRACT(YEAR FROM ts), TRIM(BOTH ' ' FROM s), SUBSTRING(s, 1, 2), POSITION('a' IN s) FROM t
select sum(a) from t where ((((a = 1) or (b = 2)) and not not c) or d) group by b order by sum(a), b asc nulls first limit 5
SELECT ARRAY[1, 2], LASTWITHTIME(a, ts, 'LONG'), MODE(a), $docId, $segmentName FROM t WHERE TEXT_MATCH(a, 'b')
