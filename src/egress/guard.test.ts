import { once } from 'node:events'
import { connect } from 'node:net'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openForTests } from '../../test/harness/for-tests.ts'
import { createEgress, type Egress } from './egress.ts'
import { serveTcp } from './loopback-server.ts'

const inside = openForTests(() =>
  serveTcp((socket) => {
    connections += 1
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\ninside'))
  }),
)
let port = 0
let connections = 0

beforeAll(() => {
  port = Number(new URL(inside.url).port)
})
beforeEach(() => {
  connections = 0
})

const LITERALS = [
  ...['127.0.0.1', '127.1', '127.0.1', '127.0.0.2', '127.255.255.254', '2130706433', '0x7f000001', '0x7f.1', '0x7f.0x0.0x0.0x1', '0X7F.1'],
  ...['0177.0.0.1', '0177.1', '017700000001', '0x7f.0.0.01', '127.0.0.1.', '127.1.', '%31%32%37.0.0.1', '127%2e0%2e0%2e1', '１２７.0.0.1'],
  ...[
    '127。0。0。1',
    '①②⑦.⓪.⓪.①',
    '0',
    '0.0.0.0',
    '00',
    '0x0',
    '0.0',
    '[::]',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[0000::0001]',
    '[::ffff:127.0.0.1]',
  ],
  ...[
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[::7f00:1]',
    '[::ffff:0:127.0.0.1]',
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
  ],
  ...[
    '[2001:0:7f00:1::]',
    '[fe80::1]',
    '[fec0::1]',
    '[fc00::1]',
    '[fd00::1]',
    '[fd00:ec2::254]',
    '[ff02::1]',
    '[100::1]',
    '[5f00::1]',
    '[2001:db8::1]',
  ],
  ...[
    '169.254.169.254',
    '169.254.170.2',
    '2852039166',
    '0xa9fea9fe',
    '0251.0376.0251.0376',
    '[::ffff:a9fe:a9fe]',
    '[::ffff:169.254.169.254]',
  ],
  ...[
    '10.0.0.1',
    '10.1',
    '012.0.0.1',
    '0xa.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '192.168.1',
    '3232235521',
    '100.64.0.1',
    '100.100.100.200',
  ],
  ...[
    '192.0.0.1',
    '192.0.0.192',
    '192.0.2.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '192.88.99.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
  ],
  '168.63.129.16',
]

const NAMES = [
  ...[
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
    'localhost.localdomain',
    'printer',
    'printer.local',
    'db.internal',
    'db.internal.',
  ],
  ...['metadata.google.internal', 'wiki.corp', 'box.lan', 'nas.home.arpa', 'ｌocalhost'],
]

const ADDRESSES_BEHIND_NAMES = [
  ...[
    '127.0.0.1',
    '0.0.0.0',
    '10.0.0.1',
    '172.20.0.1',
    '192.168.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
  ],
  ...['::1', '::', '::ffff:127.0.0.1', 'fe80::1', 'fd00::1', '64:ff9b::7f00:1', '2002:7f00:1::', '168.63.129.16', '2001:db8::1', 'ff02::1'],
]

function guarded(options: Partial<Parameters<typeof createEgress>[0]> = {}): Egress {
  return createEgress({ allowPrivate: false, allowedPorts: [port], connectTimeoutMs: 200, ...options })
}

async function failureOf(egress: Egress, url: string): Promise<string> {
  try {
    const { status } = await egress.request({ url, timeoutMs: 2000, maxBytes: 100 })
    return `answered ${status}`
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    await egress.close()
  }
}

/** Connections opened to the server inside, which hears of them in their order: of all others before it answers this one. */
async function countOpened(): Promise<number> {
  const own = connect(port, '127.0.0.1', () => own.write('x')).resume()
  await once(own, 'close')
  return connections - 1
}

const BLOCKED = 'the address could not be reached'

describe('a guarded request', () => {
  test.each(LITERALS)('never reaches inside by the address %s', async (host) => {
    const toInside = guarded({ lookup: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]) })
    expect(await failureOf(toInside, `http://${host}:${port}/`)).toBe(BLOCKED)
    expect(await countOpened()).toBe(0)
  })

  test.each(NAMES)('never reaches inside by the name %s', async (host) => {
    expect(await failureOf(guarded(), `http://${host}:${port}/`)).toBe(BLOCKED)
    expect(await countOpened()).toBe(0)
  })

  test.each(ADDRESSES_BEHIND_NAMES)('never reaches %s behind a public name', async (address) => {
    const lookup = () => Promise.resolve([{ address, family: address.includes(':') ? 6 : 4 }])
    expect(await failureOf(guarded({ lookup }), `http://receiver.example.com:${port}/`)).toBe(BLOCKED)
    expect(await countOpened()).toBe(0)
  })

  test('is refused when only one of many addresses of a name lies inside', async () => {
    const lookup = () => Promise.resolve(['93.184.216.34', '127.0.0.1'].map((address) => ({ address, family: 4 })))
    expect(await failureOf(guarded({ lookup }), `http://receiver.example.com:${port}/`)).toBe(BLOCKED)
    expect(await countOpened()).toBe(0)
  })

  test('asks the name server once a connection, so that a second, different answer changes nothing', async () => {
    // An unassigned address: it passes the check and is unreachable.
    const answers = ['2d00::1', '127.0.0.1', '127.0.0.1']
    let asked = 0
    const lookup = () => {
      const address = answers[asked] ?? '127.0.0.1'
      asked += 1
      return Promise.resolve([{ address, family: address.includes(':') ? 6 : 4 }])
    }
    expect(await failureOf(guarded({ lookup }), `http://receiver.example.com:${port}/`)).not.toContain('answered')
    expect([asked, await countOpened()]).toEqual([1, 0])
  })

  test('sends no byte to a peer inside, even if the connection was opened to another address than was checked', async () => {
    const heard: string[] = []
    const trap = await serveTcp((socket) => void socket.on('data', (sent) => heard.push(String(sent))))
    let reads = 0
    const shifting = {
      family: 4,
      get address() {
        reads += 1
        return reads === 1 ? '93.184.216.34' : '127.0.0.1'
      },
    }
    const at = Number(new URL(trap.url).port)
    const egress = guarded({ allowedPorts: [at], connectTimeoutMs: 2_000, lookup: async () => [shifting] })
    expect(await failureOf(egress, `http://receiver.example.com:${at}/`)).toBe(BLOCKED)
    await trap.close()
    expect([reads > 1, heard]).toEqual([true, []])
  })

  test.each([
    'http://user:secret@93.184.216.34/',
    'http://user@127.0.0.1/',
    'ftp://93.184.216.34/',
    'file:///etc/passwd',
    'unix:/run/app.sock',
    'gopher://127.0.0.1/',
    'javascript:alert(1)',
    'data:text/plain,x',
    '//127.0.0.1/',
    'http://',
    '',
    'http://93.184.216.34:22/',
    'https://93.184.216.34:6379/',
    'http://[fe80::1%25eth0]/',
    'http://127.0.0.1 .example.com/',
  ])('refuses %j before any lookup', async (url) => {
    const lookup = () => Promise.reject(new Error('looked up'))
    expect(await failureOf(guarded({ lookup }), url)).toBe(BLOCKED)
  })

  test('says the same of what it blocks, of what refuses, and of what has no name', async () => {
    const nowhere = guarded({ lookup: () => Promise.reject(new Error('ENOTFOUND')) })
    const refused = createEgress({ allowPrivate: true })
    const texts = [
      await failureOf(guarded(), `http://127.0.0.1:${port}/`),
      await failureOf(refused, 'http://127.0.0.1:1/'),
      await failureOf(nowhere, `http://none.example.com:${port}/`),
    ]
    expect(new Set(texts)).toEqual(new Set([BLOCKED]))
  })
})

describe('a private request', () => {
  test.each(['127.0.0.1', 'localhost'])('reaches %s', async (host) => {
    expect(await failureOf(createEgress({ allowPrivate: true }), `http://${host}:${port}/`)).toBe('answered 200')
    expect(connections).toBeGreaterThan(0)
  })

  test.each(['169.254.169.254', '[fd00:ec2::254]', '[fe80::1]', '0.0.0.0', '168.63.129.16'])('does not reach %s', async (host) => {
    expect(await failureOf(createEgress({ allowPrivate: true, connectTimeoutMs: 200 }), `http://${host}:${port}/`)).toBe(BLOCKED)
    expect(await countOpened()).toBe(0)
  })

  test('opens nothing for the next request of the same egress', async () => {
    const egress = guarded()
    const url = `http://127.0.0.1:${port}/`
    const trusted = await egress.request({ url, timeoutMs: 2000, maxBytes: 100, allowPrivate: true })
    expect(trusted.status).toBe(200)
    expect(await failureOf(egress, url)).toBe(BLOCKED)
    expect(await countOpened()).toBe(1)
  })
})
