import { expect, it } from 'vitest'
import { countReturns } from '../../test/large-answers/event-loop.ts'
import type { Egress } from '../egress/egress.ts'
import { openObject } from './s3-object.ts'

const bucket = { endpoint: 'https://storage.example', region: 'r', bucket: 'b', accessKeyId: 'id', secretAccessKey: 'key' }
const egress: Egress = {
  request: async () => ({ status: 200, headers: {}, body: new Uint8Array(), truncated: false }),
  close: async () => undefined,
}

it.each(['put', 'putChecked'] as const)('%s hashes a large object with a return to the event loop after each MiB', async (method) => {
  const object = openObject(egress, bucket, 'key')
  expect(await countReturns(() => object[method](Buffer.alloc(32 * 1024 * 1024)))).toBeGreaterThanOrEqual(32)
})
