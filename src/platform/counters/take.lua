-- All limits of a request in one step, by the clock of Redis. KEYS: one a limit. ARGV: for each
-- limit kind, limit, points, slot and lease in ms. Answers the refused index (0 for none), the
-- wait in ms, then remaining and reset of each.
local left = {}
local refused, wait = 0, 0
for i, key in ipairs(KEYS) do
  local a = (i - 1) * 5
  local limit, points = tonumber(ARGV[a + 2]), tonumber(ARGV[a + 3])
  if ARGV[a + 1] == 'rate' then
    left[i] = tokensOf(key, limit)
    local missing = math.min(points, limit) - left[i]
    if refused == 0 and missing > TOKENS_MISSING_MIN then
      refused = i
      wait = math.ceil(missing * 60000 / limit)
    end
  else
    redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
    left[i] = limit - redis.call('ZCARD', key)
    if refused == 0 and left[i] < 1 then
      refused = i
      wait = SLOT_RETRY_MS
    end
  end
end
local out = { refused, wait }
for i, key in ipairs(KEYS) do
  local a = (i - 1) * 5
  local limit, points = tonumber(ARGV[a + 2]), tonumber(ARGV[a + 3])
  if ARGV[a + 1] == 'rate' then
    if refused == 0 then left[i] = left[i] - points end
    keepTokens(key, limit, left[i])
    out[#out + 1] = math.max(0, math.floor(left[i]))
    out[#out + 1] = untilFull(limit, left[i])
  else
    if refused == 0 then
      local lease = tonumber(ARGV[a + 5])
      redis.call('ZADD', key, now + lease, ARGV[a + 4])
      if redis.call('PTTL', key) < lease then redis.call('PEXPIRE', key, lease) end
      left[i] = left[i] - 1
    end
    out[#out + 1] = math.max(0, left[i])
    out[#out + 1] = 0
  end
end
return out
