import { describe, expect, it } from 'vitest'
import { openConnectHarness } from '../connect/kit/harness.ts'
import { type LoadedPage, Owner } from '../connect/kit/owner.ts'
import { openForTests } from '../harness/for-tests.ts'

const DAY_MS = 86_400_000
const VALUES = { address: 'https://books.example.com', password: 'secret ' }

const harness = openForTests(openConnectHarness)
const newOwner = () => new Owner(harness.origin)
/** Sends the form of a page to another address. */
const sendTo = async (owner: Owner, address: string, form: LoadedPage) =>
  (await owner.ask(address, { method: 'POST', body: new URLSearchParams(form.hiddenFields()) })).status

describe('a source that is turned off', () => {
  it('is said to be so on each page of its links, and no form of theirs is taken', async () => {
    const owner = newOwner()
    const consent = await owner.get(await harness.link('form-source'))
    const before = await harness.countRows()
    harness.setEnabled('form-source', false)
    try {
      const [shown, sent] = [await owner.get('/connect/consent'), await owner.submit(consent, { choice: 'agree' })]
      expect([shown, sent].map(({ status, title }) => [status, title])).toEqual(
        [1, 2].map(() => [503, 'Grand livre cannot be connected at the moment']),
      )
      expect(await harness.countRows()).toEqual(before)
    } finally {
      harness.setEnabled('form-source', true)
    }
    expect((await owner.submit(consent, { choice: 'agree' })).title).toBe('Connect Grand livre')
  })
})

describe('a used link', () => {
  async function use(): Promise<{ owner: Owner; form: LoadedPage; done: LoadedPage }> {
    const owner = newOwner()
    const form = await owner.agree(await harness.link('form-source'))
    return { owner, form, done: await owner.submit(form, VALUES) }
  }

  it('shows its result for a day, and then that it was used', async () => {
    const { owner, done } = await use()
    const { rows } = await harness.deps.database.query<{ at: Date }>('select max(completed_at) as at from links')
    const usedMs = rows[0]?.at.getTime() ?? 0
    const now = harness.deps.now
    const statusAfter = async (ms: number) => {
      harness.deps.now = () => new Date(usedMs + ms)
      try {
        return (await owner.ask(done.address)).status
      } finally {
        harness.deps.now = now
      }
    }
    expect([await statusAfter(0), await statusAfter(DAY_MS - 1), await statusAfter(DAY_MS)]).toEqual([200, 200, 410])
  })

  it('takes no further form of its pages: one sent again leads to its result', async () => {
    const { owner, form } = await use()
    const before = await harness.countRows()
    const again = await owner.ask('/connect/consent', {
      method: 'POST',
      body: new URLSearchParams({ ...form.hiddenFields(), choice: 'agree' }),
    })
    expect([await harness.countRows(), again.status, again.headers.get('location')?.split('?')[0]]).toEqual([before, 303, '/connect/done'])
  })

  it('is asked for by the forms of the result page: with one that is open they are refused, as with one used long ago', async () => {
    const owner = newOwner()
    const consent = await owner.get(await harness.link('plaid'))
    expect(await sendTo(owner, '/connect/another', consent)).toBe(403)
    await harness.deps.database.query(`update links set completed_at = now() - interval '25 hours' where completed_at is null`)
    expect(await sendTo(owner, '/connect/another', consent)).toBe(410)
  })
})

describe('two links open in one browser', () => {
  it('are told apart by a reference in each address, which is part of neither and good for no other link', async () => {
    const owner = newOwner()
    const links = [await harness.link('form-source'), await harness.link('quickbooks')]
    const opened = [await owner.get(links[0] ?? ''), await owner.get(links[1] ?? '')]
    const [second] = [opened[1]?.address ?? '']
    const reference = new URL(second, harness.origin).searchParams.get('link') ?? ''
    expect(reference).toMatch(/^[\w-]{10}$/)
    for (const link of links) expect(link).not.toContain(reference)
    expect((await owner.get(second)).title).toBe(opened[1]?.title)
    const first = (await owner.get(links[0] ?? '')).address
    expect(new URL(first, harness.origin).searchParams.get('link')).not.toBe(reference)
    expect((await owner.get(second)).title).toBe(opened[1]?.title)
    const unknown = await owner.get(`/connect/consent?link=${reference.split('').reverse().join('')}`)
    expect(unknown.title).toBe('Please open your link again')
  })

  it('keep apart what is agreed: agreeing to one opens no step of the other', async () => {
    const owner = newOwner()
    const consent = await owner.get(await harness.link('form-source'))
    const other = await owner.get(await harness.link('quickbooks'))
    await owner.submit(consent, { choice: 'agree' })
    const step = other.address.replace('/connect/consent', '/connect/source')
    expect((await owner.get(step)).title).toBe(other.title)
  })

  it('one alone has no reference', async () => {
    expect((await newOwner().get(await harness.link('form-source'))).address).toBe('/connect/consent')
  })
})
