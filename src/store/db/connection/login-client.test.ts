import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openForTests } from '../../../../test/harness/for-tests.ts'
import { LoginClient, logInWith } from './login.ts'

/** Answers of the server. Source: https://www.postgresql.org/docs/18/protocol-message-formats.html */
const ASK_PASSWORD = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3])
const LOGGED_IN = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49])

function errorOf(code: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0Mrefused\0\0`)
  const head = Buffer.from([0x45, 0, 0, 0, 0])
  head.writeUInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}

/** Passwords that the server was sent, and what it says to each; nothing left: it lets in. */
const received: string[] = []
const refusals: string[] = []

const server = openForTests(
  async () => {
    const listening = createServer((socket: Socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => {
        socket.write(ASK_PASSWORD)
        socket.once('data', (message: Buffer) => {
          received.push(message.subarray(5, -1).toString())
          const code = refusals.shift()
          if (code === undefined) socket.write(LOGGED_IN)
          else socket.end(errorOf(code))
        })
      })
    }).listen(0, '127.0.0.1')
    await once(listening, 'listening')
    return { port: (listening.address() as AddressInfo).port, listening }
  },
  ({ listening }) => listening.close(),
)

beforeEach(() => {
  received.length = 0
  refusals.length = 0
})
afterEach(() => logInWith(null))

/** Why a connection was refused; null if it was opened. */
async function connect(): Promise<unknown> {
  const client = new LoginClient(`postgres://app:of-the-address@127.0.0.1:${server.port}/name`)
  client.on('error', () => undefined)
  try {
    await client.connect()
    return null
  } catch (error) {
    return error
  } finally {
    client.connection.stream.destroy()
  }
}

describe('a connection logs in', () => {
  it('with the password of its address, without another', async () => {
    expect([await connect(), received]).toEqual([null, ['of-the-address']])
  })

  it('with the password that is asked for, which is shared by those that follow', async () => {
    let asked = 0
    logInWith(async () => `token ${++asked}`)
    expect([await connect(), await connect(), received]).toEqual([null, null, ['token 1', 'token 1']])
    logInWith(null)
    expect([await connect(), received.at(-1)]).toEqual([null, 'of-the-address'])
  })

  it.each([
    ['28P01', 'token 2'],
    ['28000', 'token 2'],
    ['53300', 'token 1'],
  ])('after a refusal with %s with %s', async (code, next) => {
    let asked = 0
    logInWith(async () => `token ${++asked}`)
    refusals.push(code)
    expect([await connect(), await connect()]).toEqual([expect.objectContaining({ code }), null])
    expect(received).toEqual(['token 1', next])
  })

  it('not at all where there is no password', async () => {
    logInWith(() => Promise.reject(new Error('no vault')))
    expect([await connect(), received]).toEqual([new Error('no vault'), []])
  })
})
