// The Lua script that shares one rate among all processes. Redis runs it as one step, by its own clock.

/**
 * One hash per limit. ARGV: the operation, the wanted rate (requests per second; 0 is no limit), and
 * `take`: how many requests; returns the microseconds until the first of them, and those between two;
 * `limited`: how long ago the rejected request was sent, and the pause that the platform asked for (milliseconds).
 */
export const RATE_SCRIPT = `
local MARGIN, HEADROOM, CLEARLY_FEWER, RETURN_MS, KEEP_MS = 1.01, 0.97, 0.8, 45000, 86400000
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local names = {'next', 'paused', 'from', 'low', 'high', 'second', 'count', 'before'}
local state = {}
for index, value in ipairs(redis.call('HMGET', KEYS[1], unpack(names))) do
  state[names[index]] = tonumber(value) or 0
end

-- Requests of the last second.
local second = math.floor(now / 1000)
if second ~= state.second then
  state.before = second == state.second + 1 and state.count or 0
  state.second, state.count = second, 0
end
local taken = state.count + state.before * (1 - (now / 1000 - second))

-- The wanted rate, or a lower learned one: from low by way of high, which was too much (CUBIC).
local wanted = tonumber(ARGV[2])
local rate = wanted > 0 and wanted / MARGIN or math.huge
if state.high > 0 then
  local part = math.max(0, now - state.from) / RETURN_MS - 1
  rate = math.min(rate, state.high + (state.high - state.low) * part * part * part)
end

local reply = {0, 0}
if ARGV[1] == 'take' then
  local interval = 1000 / rate
  local start = math.max(now, state.next, state.paused)
  state.next = start + ARGV[3] * interval
  state.count = state.count + ARGV[3]
  reply = {math.floor((start - now) * 1000), math.floor(interval * 1000)}
else
  local sent, asked = now - ARGV[3], tonumber(ARGV[4])
  -- The requests that met the same limit together count once.
  if sent > state.from and taken > 0 and (wanted == 0 or taken < wanted * CLEARLY_FEWER) then
    state.high = math.min(taken, rate)
    state.low = state.high * HEADROOM
    state.from = now + asked
  end
  state.paused = math.max(state.paused, now + asked)
end

local fields = {}
for _, name in ipairs(names) do
  fields[#fields + 1] = name
  fields[#fields + 1] = string.format('%.3f', state[name])
end
redis.call('HSET', KEYS[1], unpack(fields))
redis.call('PEXPIRE', KEYS[1], KEEP_MS)
return reply
`;
