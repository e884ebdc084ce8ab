-- Gives points back to the bucket of KEYS, or takes more of it. ARGV: limit and points.
local limit = tonumber(ARGV[1])
local tokens = math.min(limit, tokensOf(KEYS[1], limit) + tonumber(ARGV[2]))
keepTokens(KEYS[1], limit, tokens)
return 1
