import { once } from 'node:events'
import { type AddressInfo, createServer, Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { openSocket, RowReader, readerOf } from './row-reader.ts'

const READY = message('Z', Buffer.from('I'))

function message(letter: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.write(letter)
  head.writeUInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

function row(column: string): Buffer {
  const head = Buffer.alloc(6)
  head.writeUInt16BE(1)
  head.writeUInt32BE(Buffer.byteLength(column), 2)
  return message('D', Buffer.concat([head, Buffer.from(column)]))
}

/**
 * Rows read and bytes passed on when the input arrives in pieces of one size, with rows diverted until ReadyForQuery.
 */
function readInPieces(bytes: Buffer, size: number): { rows: string[]; passed: string } {
  const passed: Buffer[] = []
  const wanted: Buffer[] = []
  const rows: string[] = []
  const reader = new RowReader((part) => {
    passed.push(part)
    if (!part.subarray(-READY.length).equals(READY)) return
    reader.restore()
    rows.push(...wanted.map(String))
  })
  reader.divert((column) => wanted.push(column))
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.subarray(at, at + size).copy(reader.room())
    reader.take(length)
    at += length
  }
  return { rows, passed: Buffer.concat(passed).toString('latin1') }
}

const BEFORE = message('2', Buffer.alloc(0))
const AFTER = message('C', Buffer.from('SELECT\0'))
const AROUND = Buffer.concat([BEFORE, AFTER, READY]).toString('latin1')

describe('what comes from PostgreSQL is parted into rows and the rest', () => {
  const columns = ['', '{"a":1}', 'déjà vu 🏦', 'x'.repeat(300), 'D\0\0\0\u000b']
  const bytes = Buffer.concat([BEFORE, ...columns.map(row), AFTER, READY])

  it.each(Array.from({ length: bytes.length }, (_, index) => index + 1))('in pieces of %i bytes', (size) => {
    expect(readInPieces(bytes, size)).toEqual({ rows: columns, passed: AROUND })
  })

  it.each([1_000, 64 * 1024, 10_000_000])('with rows from none to a megabyte, in pieces of at most %i bytes', (size) => {
    const large = [0, 1, 8_000, 131_061, 131_072, 1_000_000, 5, 200_000].map((length, index) => String(index).repeat(length))
    const all = Buffer.concat([BEFORE, ...large.map(row), AFTER, READY])
    const read = readInPieces(all, size)
    expect(read.rows.map((one) => one.length)).toEqual(large.map((one) => one.length))
    expect(read.rows.every((one, index) => one === large[index])).toBe(true)
    expect(read.passed).toBe(AROUND)
  })
})

it('rows that nobody wants as bytes are passed on as they came', () => {
  const passed: Buffer[] = []
  const reader = new RowReader((part) => passed.push(part))
  const bytes = Buffer.concat([row('one'), row('two'), READY])
  for (const half of [bytes.subarray(0, 9), bytes.subarray(9)]) {
    half.copy(reader.room())
    reader.take(half.length)
  }
  expect(Buffer.concat(passed)).toEqual(bytes)
})

it('what was passed on stays as it was when the next comes', () => {
  const passed: Buffer[] = []
  const reader = new RowReader((part) => passed.push(part))
  for (const text of ['first', 'other']) reader.take(reader.room().write(text))
  expect(passed.map(String)).toEqual(['first', 'other'])
})

describe('the space for the next read', () => {
  const KIB = 1_024
  /** A reader that keeps rows, and has received the beginning of one of so many bytes. */
  function open(received: number, length: number) {
    const reader = new RowReader(() => undefined)
    reader.divert(() => undefined)
    const bytes = row('x'.repeat(length)).subarray(0, received)
    bytes.copy(reader.room())
    reader.take(bytes.length)
    return reader
  }

  it.each([
    ['is 128 KiB at first', 0, 0, 128],
    ['is what is left, down to 32 KiB', 96 * KIB, 200_000, 32],
    [
      'is as much as a long row and 32 KiB besides take, once less is left',
      96 * KIB + 1,
      200_000,
      (11 + 200_000) / KIB + 32 - (96 * KIB + 1) / KIB,
    ],
  ])('%s', (_what, received, length, expected) => {
    expect(open(received, length).room().length / KIB).toBe(expected)
  })

  it('is that of an unfinished row alone beside those that are taken', () => {
    const reader = new RowReader(() => undefined)
    reader.divert(() => undefined)
    const bytes = Buffer.concat([row('x'.repeat(100 * KIB)), row('y').subarray(0, 4)])
    bytes.copy(reader.room())
    reader.take(bytes.length)
    expect(reader.room().length).toBe(128 * KIB - 4)
  })

  it('is 128 KiB again after a query with a longer row', () => {
    const reader = open(100 * KIB, 400_000)
    expect(reader.room().length).toBeGreaterThan(128 * KIB)
    reader.restore()
    reader.take(0)
    expect(reader.room().length).toBe(128 * KIB)
  })
})

it('a socket has a reader, whose bytes it emits as they come', async () => {
  const server = createServer((socket) => socket.end('of the server')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = openSocket()
  const received: Buffer[] = []
  socket.on('data', (bytes: Buffer) => received.push(bytes))
  socket.connect((server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'close')
  server.close()
  expect([String(Buffer.concat(received)), readerOf(socket) instanceof RowReader, readerOf(new Socket())]).toEqual([
    'of the server',
    true,
    null,
  ])
})
