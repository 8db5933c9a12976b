-- Changes an entry, its group's index and events, unless it has changed since it was read.
local entry, index, counter, events = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local key, old, new, expires, now = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local found = redis.call('GET', entry)
if (found and string.match(found, '^%d+') or '0') ~= old then return 0 end
local seq = redis.call('INCR', counter)
if new == '' then
    redis.call('DEL', entry)
    redis.call('ZREM', index, key)
else
    redis.call('SET', entry, seq .. ' ' .. new)
    if expires ~= '' then redis.call('PEXPIREAT', entry, expires) end
    redis.call('ZADD', index, expires == '' and '+inf' or expires, key)
end
redis.call('ZREMRANGEBYSCORE', index, '-inf', now)
if ARGV[6] ~= '' then
    redis.call('XADD', events, 'MAXLEN', '~', ARGV[7], seq .. '-0', 'content', ARGV[6])
    redis.call('PEXPIRE', events, ARGV[8])
end
redis.call('PUBLISH', ARGV[9], ARGV[10])
return seq
