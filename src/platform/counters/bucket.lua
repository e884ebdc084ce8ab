-- What the scripts share. A bucket lives until it is full again, since a missing one counts as
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
local nowSecond = math.floor(now / 1000)
local function untilGone(second)
  return math.max(0, (second + WINDOW_SECONDS) * 1000 - now)
end
local function heldOf(key)
  local held, sum = {}, 0
  local pairs_ = redis.call('HGETALL', key)
  for n = 1, #pairs_, 2 do
    local second, points = tonumber(pairs_[n]), tonumber(pairs_[n + 1])
    if second + WINDOW_SECONDS <= nowSecond then
      redis.call('HDEL', key, second)
    else
      held[second] = points
      sum = sum + points
    end
  end
  return held, sum
end
