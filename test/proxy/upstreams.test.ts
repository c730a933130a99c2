import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const DEPLOY = join(import.meta.dirname, '..', '..', 'deploy')
/** What each proxy calls an address that it passes requests on to. */
const UPSTREAM =
  /^\s*(?:proxy_pass|reverse_proxy|server \w+|grpc_pass|fastcgi_pass|uwsgi_pass|forward_auth)\s+(?:https?:\/\/)?([\w.-]+:\d+)/gm

it.each([
  ['proxy/nginx.conf', '127.0.0.1:8480'],
  ['proxy/Caddyfile', '127.0.0.1:8480'],
  ['proxy/haproxy.cfg', '127.0.0.1:8480'],
  ['container/Caddyfile', 'api:8480'],
])('%s passes requests on to the service and to nothing else', (file, service) => {
  const text = readFileSync(join(DEPLOY, file), 'utf8')
  expect([...text.matchAll(UPSTREAM)].map(([, address]) => address)).toEqual([service])
  // No address that a request could choose.
  expect(text).not.toMatch(/^\s*(?:proxy_pass|reverse_proxy|server \w+)\s[^\n]*[$%{]/m)
})
