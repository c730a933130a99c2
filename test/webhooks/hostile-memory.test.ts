import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LoopbackServers } from '../../src/egress/loopback-server.ts'
import { reportFigure } from '../prove/figures.ts'
import { openWebhookHarness, type WebhookHarness } from './harness.ts'

const MIB = 1024 * 1024
const LIMIT_MIB = 20

let harness: WebhookHarness
let child: ChildProcess | undefined
const servers = new LoopbackServers()

beforeEach(async () => {
  harness = await openWebhookHarness()
})
afterEach(async () => {
  child?.kill('SIGKILL')
  await servers.closeAll()
  await harness.close()
})

/** Sends as fast as the other side reads, for as long as it reads. */
function pour(socket: Socket, head: string, bytes: number): void {
  const chunk = Buffer.alloc(65_536, 'a ')
  let left = bytes
  const more = (): void => {
    while (left > 0 && !socket.destroyed) {
      left -= chunk.length
      if (!socket.write(chunk)) return
    }
  }
  socket.write(head)
  socket.on('drain', more)
  more()
}

const BOMB = gzipSync(Buffer.alloc(100 * MIB))
const HOSTILE: Record<string, (socket: Socket) => void> = {
  endless: (socket) => pour(socket, 'HTTP/1.1 200 OK\r\n\r\n', Number.POSITIVE_INFINITY),
  'a gigabyte': (socket) => pour(socket, `HTTP/1.1 200 OK\r\ncontent-length: ${1024 * MIB}\r\n\r\n`, 1024 * MIB),
  'a gigabyte in one chunk': (socket) => pour(socket, `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n40000000\r\n`, 1024 * MIB),
  'a gzip bomb': (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${BOMB.length}\r\n\r\n`)
    socket.write(BOMB)
  },
  'headers without end': (socket) => pour(socket, 'HTTP/1.1 200 OK\r\nx: ', Number.POSITIVE_INFINITY),
  'early hints without end': (socket) => pour(socket, 'HTTP/1.1 103 Early Hints\r\nlink: ', Number.POSITIVE_INFINITY),
}

/** Peak and current resident memory, in MiB. */
function memoryOf(pid: number): { peak: number; now: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const read = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024
  return { peak: read('VmHWM'), now: read('VmRSS') }
}

describe.runIf(process.platform === 'linux')('all hostile receivers at once', () => {
  test(`cost a dispatcher less than ${LIMIT_MIB} MiB`, async () => {
    const healthy = await harness.receive()
    await harness.subscribeTo(healthy.url)
    const script = new URL('./dispatcher-process.ts', import.meta.url).pathname
    child = spawn(process.execPath, [script, harness.test.url, harness.sealingKey.toString('hex')], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const pid = child.pid ?? 0
    // Excludes one-time compilation and allocation of the first attempts.
    for (let event = 0; event < 100; event += 1) await harness.raise()
    await healthy.reached(100)
    for (const talk of Object.values(HOSTILE)) {
      const url = await servers.tcp((socket) => void socket.once('data', () => talk(socket)))
      for (const path of ['a', 'b', 'c']) await harness.subscribeTo(`${url}/${path}`)
    }
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
    const before = memoryOf(pid).now
    await harness.raise()
    await attempted(Object.keys(HOSTILE).length * 3)
    const grown = memoryOf(pid).peak - before
    reportFigure('memory that hostile receivers cost a dispatcher at most, MiB', grown.toFixed(1))
    expect(grown).toBeLessThan(LIMIT_MIB)
  })
})

/** Resolves after this many first attempts at the hostile ones are recorded. */
async function attempted(count: number): Promise<void> {
  for (;;) {
    const { rows } = await harness.test.database.query<{ count: number }>(
      `select count(distinct d.subscription_id)::int as count from delivery_attempts a join deliveries d on d.id = a.delivery_id, pg_sleep(0.05)`,
    )
    if ((rows[0]?.count ?? 0) >= count + 1) return
  }
}
