import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { reportingSealer } from './reporting-sealer.ts'
import { createSealer } from './sealing.ts'

const key = { id: '00112233445566aa', bytes: randomBytes(32) }
const plain = createSealer({ sealing: { all: [key], newest: key, find: (id) => (id === key.id ? key : undefined) } })
const context = { instanceId: 'a', table: 'connections', rowId: 'b', column: 'credentials' }

it('a sealed value that cannot be opened is reported with its table, whichever way it is opened', async () => {
  const failures: string[] = []
  const sealer = reportingSealer(plain, (table) => failures.push(table))
  const sealed = sealer.seal(context, Buffer.from('secret'))
  const damaged = Uint8Array.from(sealed, (byte, index) => (index === 20 ? byte ^ 1 : byte))
  expect(Buffer.from(sealer.open(context, sealed)).toString()).toBe('secret')
  expect(failures).toEqual([])
  expect(() => sealer.open(context, damaged)).toThrow('connections.credentials cannot be opened')
  await expect(sealer.openLarge(context, damaged)).rejects.toThrow('cannot be opened')
  expect(() => sealer.reEncrypt(context, damaged)).toThrow('cannot be opened')
  expect(failures).toEqual(['connections', 'connections', 'connections'])
})
