-- Replaces a session if its version is the expected one. Nothing comes between its commands.
-- KEYS[1]: the session. ARGV: expected version ('' for none), new version, bytes, milliseconds to live ('' for ever).
-- Answers the new version, or what is there now: a version and bytes, or nothing.
local current = redis.call('HGET', KEYS[1], 'version')
if not current and redis.call('EXISTS', KEYS[1]) == 1 then
  return redis.error_reply('WRONGTYPE the hash has no version')
end
-- This very write, sent again because its answer was lost.
if current == ARGV[2] then
  return { current }
end
if (current or '') ~= ARGV[1] then
  return current and redis.call('HMGET', KEYS[1], 'version', 'session') or {}
end
redis.call('HSET', KEYS[1], 'version', ARGV[2], 'session', ARGV[3])
if ARGV[4] == '' then
  redis.call('PERSIST', KEYS[1])
else
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
end
return { ARGV[2] }
