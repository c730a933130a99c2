import { expect, it } from 'vitest'
import { listenText } from './server-tls.ts'

it('the log names https where the server speaks it, and leaves Fastify’s text otherwise', () => {
  expect(listenText(null)).toEqual({})
  const { listenTextResolver } = listenText({ identity: { cert: '', key: '' }, onRenewed: () => undefined })
  expect(['http://127.0.0.1:8080', 'http://[::1]:1/http:', '/run/http:'].map((address) => listenTextResolver?.(address))).toEqual([
    'Server listening at https://127.0.0.1:8080',
    'Server listening at https://[::1]:1/http:',
    'Server listening at /run/http:',
  ])
})
