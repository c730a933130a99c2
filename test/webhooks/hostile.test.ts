import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LoopbackServers } from '../../src/egress/loopback-server.ts'
import { listDeliveries } from '../../src/store/webhooks/delivery-log.ts'
import { openWebhookHarness, type WebhookHarness } from './harness.ts'

let harness: WebhookHarness
const servers = new LoopbackServers()

beforeEach(async () => {
  harness = await openWebhookHarness()
})
afterEach(async () => {
  await servers.closeAll()
  await harness.close()
})

async function subscribeRaw(talk: (socket: Socket) => void): Promise<string> {
  const url = await servers.tcp((socket) => void socket.once('data', () => talk(socket)))
  return (await harness.subscribeTo(url)).id
}

async function attemptsOf(subscriptionId: string) {
  const { deliveries } = await listDeliveries(harness.test.database, harness.instanceId, {
    filter: [[{ property: 'subscriptionId', operator: '=', value: subscriptionId }]],
    ...{ orderBy: 'createdAt', descending: false, limit: 10, offset: 0, mayReadAudit: true },
  })
  return deliveries.flatMap((delivery) => delivery.attempts)
}

function drip(socket: Socket, start: string, piece: string): void {
  socket.write(start)
  const timer = setInterval(() => socket.write(piece), 100)
  socket.on('close', () => clearInterval(timer))
}

describe('a hostile receiver', () => {
  test('that drips, stalls or never answers is dropped after 15 seconds, and costs the others nothing', async () => {
    const hostile = [
      await subscribeRaw((socket) => drip(socket, 'HTTP/1.1 200 OK\r\n\r\n', '.')),
      await subscribeRaw((socket) => drip(socket, 'HTTP/1.1 200 OK\r\n', 'x-a: b\r\n')),
      await subscribeRaw((socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc')),
      await subscribeRaw(() => {}),
    ]
    const healthy = await harness.receive()
    const healthyId = (await harness.subscribeTo(healthy.url)).id
    await harness.raise()
    await harness.dispatcher.runOnce()
    for (const id of hostile) {
      const [attempt] = await attemptsOf(id)
      expect(attempt).toMatchObject({ httpStatus: null, error: 'no complete answer in time' })
      expect(Math.abs((attempt?.durationMs ?? 0) - 15_000)).toBeLessThan(1500)
    }
    const [good] = await attemptsOf(healthyId)
    expect(good?.durationMs).toBeLessThan(5000)
  })

  test('that sends endlessly is cut off after 64 KiB, and its status counts', async () => {
    let sent = 0
    const id = await subscribeRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      const more = () => {
        while (!socket.destroyed && socket.write(Buffer.alloc(65_536, 'a '))) sent += 65_536
      }
      socket.on('drain', more)
      more()
    })
    await harness.raise()
    await harness.dispatcher.runOnce()
    const [attempt] = await attemptsOf(id)
    expect(attempt).toMatchObject({ httpStatus: 200, error: null })
    expect(attempt?.response).toHaveLength(4096)
    expect(sent).toBeLessThan(32 * 1024 * 1024)
  })

  test('that answers with a gzip bomb is not decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000))
    const id = await subscribeRaw((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`)
      socket.write(bomb)
    })
    await harness.raise()
    await harness.dispatcher.runOnce()
    expect(await attemptsOf(id)).toMatchObject([{ httpStatus: 200, response: '' }])
  })

  test.each([
    ['resets', (socket: Socket) => void socket.resetAndDestroy()],
    ['hangs up', (socket: Socket) => void socket.end()],
    ['talks no HTTP', (socket: Socket) => void socket.end('220 smtp ready\r\n')],
    ['sends headers without end', (socket: Socket) => void socket.write(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(300_000)}`)],
  ])('that %s has failed', async (_name, talk) => {
    const id = await subscribeRaw(talk)
    await harness.raise()
    await harness.dispatcher.runOnce()
    expect(await attemptsOf(id)).toMatchObject([{ httpStatus: null, error: 'the connection broke off', response: '' }])
  })

  test('that redirects to a private address reaches nothing', async () => {
    const inside = await harness.receive()
    const outside = await harness.receive((_request, response) => response.writeHead(307, { location: inside.url }).end())
    const { id } = await harness.subscribeTo(outside.url)
    await harness.raise()
    await harness.dispatcher.runOnce()
    expect(await attemptsOf(id)).toMatchObject([{ httpStatus: 307 }])
    expect(inside.received).toEqual([])
  })

  test('that echoes the request leaves no secret in the record', async () => {
    const echoing = await harness.receive((request, response) => response.end(`token=SECRETVALUE ${request.body}`))
    const { id } = await harness.subscribeTo(echoing.url)
    await harness.raise()
    await harness.dispatcher.runOnce()
    const [attempt] = await attemptsOf(id)
    expect(attempt?.response).toContain('NormalizedData')
    expect(attempt?.response).not.toContain('SECRETVALUE')
  })
})
