-- Sends the requests of a file in turn: one per line, path and headers parted by tabs. A second argument above zero is
-- the pause of each connection between two requests, in milliseconds. Prints one line of JSON at the end.
local requests = {}
local at = 0

function init(args)
  for line in io.lines(args[1]) do
    local path
    local headers = {}
    for part in string.gmatch(line, "[^\t]+") do
      if path == nil then
        path = part
      else
        local name, value = string.match(part, "^([^:]+): (.*)$")
        headers[name] = value
      end
    end
    table.insert(requests, wrk.format("GET", path, headers))
  end
  local pause = tonumber(args[2])
  if pause > 0 then
    function delay()
      return pause
    end
  end
end

function request()
  at = at % #requests + 1
  return requests[at]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"micros":%d,"bytes":%d,"p50Micros":%d,"p99Micros":%d,"failed":%d}\n',
    summary.requests, summary.duration, summary.bytes, latency:percentile(50), latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.status + errors.timeout
  ))
end
