-- Gives points back to the second of a window in which they were taken, or takes more of it.
-- KEYS: the window. ARGV: the second and the points.
local second = ARGV[1]
local held = tonumber(redis.call('HGET', KEYS[1], second))
if held then redis.call('HSET', KEYS[1], second, math.max(0, held - tonumber(ARGV[2]))) end
return 1
