import { expect, it } from 'vitest'
import { countReturns } from '../../test/harness/event-loop.ts'
import { readBody } from './body.ts'

const MEBIBYTE = 1024 * 1024

async function* bodyOf(mebibytes: number): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < mebibytes; at += 1) yield Buffer.alloc(MEBIBYTE, at)
}

it('the pieces of a large body are joined with a return to the event loop after each MiB', async () => {
  const bodies: Uint8Array[] = []
  const returns = await countReturns(async () => bodies.push((await readBody(bodyOf(32), 64 * MEBIBYTE)).body))
  expect(returns).toBeGreaterThanOrEqual(32)
  expect([bodies[0]?.length, bodies[0]?.at(-1)]).toEqual([32 * MEBIBYTE, 31])
})
