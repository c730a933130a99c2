import { expect, it } from 'vitest'
import { openForTests } from '../harness/for-tests.ts'
import { openConnectHarness } from './kit/harness.ts'
import { Owner } from './kit/owner.ts'
import { decideAtIntuit } from './kit/quickbooks-owner.ts'

const COMPANY = '4620816365200000101'

const harness = openForTests(openConnectHarness)

/** An owner whom QuickBooks sends back, and the address. */
async function comeBack(): Promise<{ owner: Owner; address: string }> {
  const owner = new Owner(harness.origin)
  const leaving = await owner.submit(await owner.agree(await harness.link('quickbooks')))
  return { owner, address: await decideAtIntuit(leaving, COMPANY) }
}

it('a source sends owners back to its own address', async () => {
  const { owner, address } = await comeBack()
  expect(new URL(address).pathname).toBe('/connect/callback/quickbooks')
  expect((await owner.get(address)).address).toMatch(/^\/connect\/done/)
})

it.each(['/connect/callback/plaid', '/connect/callback', '/connect/callback/nobody', '/connect/callback/%71uickbooks%2f'])(
  'a code at the address of another source is refused with nothing changed, and is good at its own: %s',
  async (path) => {
    const { owner, address } = await comeBack()
    const before = await harness.countRows()
    const misled = address.replace('/connect/callback/quickbooks', path)
    expect(misled).not.toBe(address)
    const refused = await owner.get(misled)
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('This sign-in cannot be used')])
    expect(await harness.countRows()).toEqual(before)
    expect((await owner.get(address)).address).toMatch(/^\/connect\/done/)
  },
)
