import { expect, it } from 'vitest'
import { findFrameOriginFault } from './frame-origin.ts'

it.each([
  'https://app.example.com',
  'https://app.example.com:8443',
  'https://xn--rable-9ra.example',
  'https://[2001:db8::1]',
  'https://192.0.2.1',
])('%s may hold a link in a frame', (origin) => {
  expect(findFrameOriginFault(origin, { allowsLoopback: false })).toBeNull()
})

it.each(['http://localhost:3000', 'http://127.0.0.1:8080', 'http://[::1]:3000'])('%s may in the sandbox only', (origin) => {
  expect(findFrameOriginFault(origin, { allowsLoopback: true })).toBeNull()
  expect(findFrameOriginFault(origin, { allowsLoopback: false })).toBe('has to begin with https://')
})

it.each([
  '',
  '*',
  'null',
  "'self'",
  'https:',
  'https://',
  'https://*',
  'https://*.example.com',
  'app.example.com',
  '//app.example.com',
  'http://app.example.com',
  'HTTPS://app.example.com',
  'https://App.example.com',
  'https://app.example.com/',
  'https://app.example.com/path',
  'https://app.example.com?query',
  'https://app.example.com#fragment',
  'https://app.example.com.',
  'https://app.example.com:443',
  'https://app.example.com:0443',
  'https://app.example.com:99999',
  'https://user@app.example.com',
  'https://user:word@app.example.com',
  'https://app.example.com@evil.example',
  'https://app.example.com\\@evil.example',
  'https://érable.example',
  'https://app。example.com',
  'https://app.example.com evil.example',
  'https://app.example.com; script-src *',
  'https://app.example.com,https://evil.example',
  'https://app.example.com\nhttps://evil.example',
  ' https://app.example.com',
  'https://app.example.com ',
  'https:app.example.com',
  'https:/app.example.com',
  'https:///app.example.com',
  'https://0x7f.1',
  'https://2130706433',
  'https://a_b.example.com',
  'https://[::ffff:127.0.0.1]',
  'ftp://app.example.com',
  'file:///etc/passwd',
  'data:text/html,x',
  'javascript:alert(1)',
  'blob:https://app.example.com/1',
  'chrome-extension://abcdefghijklmnop',
  'wss://app.example.com',
  'about:blank',
])('%j is refused as the origin of a frame', (origin) => {
  expect(findFrameOriginFault(origin, { allowsLoopback: true })).not.toBeNull()
})
