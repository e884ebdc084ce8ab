-- All limits of a request in one step, by the clock of Redis. KEYS: one a limit. ARGV: for each
-- limit kind, limit, points, slot and lease in ms; a rate has the points that must be there in place
-- of the slot. Answers the refused index (0 for none), the
-- wait in ms, then remaining and reset of each, and last the second in which it was asked. A window
-- is a hash of points by second (RollingMinute says what counts).
local left, windows = {}, {}
local refused, wait = 0, 0
for i, key in ipairs(KEYS) do
  local a = (i - 1) * 5
  local limit, points = tonumber(ARGV[a + 2]), tonumber(ARGV[a + 3])
  if ARGV[a + 1] == 'rate' then
    left[i] = tokensOf(key, limit)
    local missing = math.min(tonumber(ARGV[a + 4]), limit) - left[i]
    if refused == 0 and missing > TOKENS_MISSING_MIN then
      refused = i
      wait = math.ceil(missing * 60000 / limit)
    end
  elseif ARGV[a + 1] == 'window' then
    local held, sum = heldOf(key)
    left[i] = limit - sum
    windows[i] = held
    local need = math.min(points, limit)
    if refused == 0 and (limit <= 0 or sum + need > limit) then
      refused = i
      wait = limit <= 0 and WINDOW_SECONDS * 1000 or 0
      for second = nowSecond - WINDOW_SECONDS + 1, nowSecond do
        if limit > 0 and held[second] and sum + need > limit then
          sum = sum - held[second]
          wait = untilGone(second)
        end
      end
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
  elseif ARGV[a + 1] == 'window' then
    local held = windows[i]
    if refused == 0 and points > 0 then
      held[nowSecond] = redis.call('HINCRBY', key, nowSecond, points)
      redis.call('PEXPIRE', key, (WINDOW_SECONDS + 1) * 1000)
      left[i] = left[i] - points
    end
    local reset = 0
    for second, sum in pairs(held) do
      if sum > 0 then reset = math.max(reset, untilGone(second)) end
    end
    out[#out + 1] = math.max(0, left[i])
    out[#out + 1] = reset
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
out[#out + 1] = nowSecond
return out
