-- What both scripts share. A bucket lives until it is full again, since a missing one counts as
-- full; `now` never runs backwards for a bucket, whatever the clock of Redis does.
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local function tokensOf(key, limit)
  local b = redis.call('HMGET', key, 't', 'at')
  local waited = math.max(0, now - (tonumber(b[2]) or now))
  return math.min(limit, (tonumber(b[1]) or limit) + waited * limit / 60000)
end
local function untilFull(limit, tokens)
  return math.ceil((limit - tokens) * 60000 / limit)
end
local function keepTokens(key, limit, tokens)
  redis.call('HSET', key, 't', string.format('%.17g', tokens), 'at', now)
  redis.call('PEXPIRE', key, untilFull(limit, tokens) + 1000)
end
