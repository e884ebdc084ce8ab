-- Apart from the columns, so that reports are read while the cells of before are written: what no cache
-- answered counts as asked, what did not fail as answered, and a failure as an error, as it did.
UPDATE usage_rollup SET asked = greatest(0, least(requests - cached, attempts)), erred = failed,
  answered = greatest(0, requests - failed - cached), answered_latency_ms = latency_ms
  WHERE cube NOT LIKE 'refunds%';
