import { expect, it } from 'vitest'
import { openForTests } from '../harness/for-tests.ts'
import { openConnectHarness } from './kit/harness.ts'
import { holdBank } from './kit/held-bank.ts'
import { type LoadedPage, Owner } from './kit/owner.ts'

const harness = openForTests(openConnectHarness)
/** The first bank of the list: its name, and the way to it. */
const firstBank = ({ markup }: LoadedPage) => {
  const [, choice = '', rest = ''] = /class="bank" href="([^"]*)"(.*?)<\/a>/s.exec(markup) ?? []
  return { choice: choice.replaceAll('&amp;', '&'), name: /class="name">([^<]*)</.exec(rest)?.[1] ?? '' }
}

async function choose(language: string, held: (name: string) => string | null): Promise<{ owner: Owner; name: string; page: LoadedPage }> {
  const companyId = await harness.addCompany('Boulangerie du Plateau')
  const owner = new Owner(harness.origin, { language })
  const { choice, name } = firstBank(await owner.agree(await harness.link('plaid', companyId)))
  const other = held(name)
  if (other !== null) await holdBank(harness, companyId, other)
  return { owner, name, page: await owner.get(choice) }
}

it.each([
  ['en-CA', 'You are already connected to', 'Fenêtre bancaire, since'],
  ['fr-CA', 'Une connexion à', 'Fenêtre bancaire, depuis le'],
])('in %s an owner is warned before a bank is connected a second time, and may go on', async (language, begin, through) => {
  const { owner, name, page } = await choose(language, (bank) => bank)
  expect(page.text).toContain(`${begin} ${name}`)
  expect(page.text).toContain(through)
  expect((await owner.submit(page)).forwardsTo()).toContain('/hosted/')
})

it.each<[string, (name: string) => string | null]>([
  ['with no other connection', () => null],
  ['with a connection to another bank', () => 'Caisse Alpenglow'],
])('there is no warning %s', async (_what, held) => {
  const { page } = await choose('en-CA', held)
  expect(page.text).not.toContain('You are already connected to')
})

it('there is no warning for a connection that is renewed', async () => {
  const companyId = await harness.addCompany('Boulangerie du Plateau')
  await holdBank(harness, companyId, 'Fenêtre bancaire')
  const page = await new Owner(harness.origin).agree(await harness.link('widget-source', companyId))
  expect([page.title, page.text.includes('You are already connected to')]).toEqual(['Choose your bank in Fenêtre bancaire', false])
})

it('there is no warning about another company’s connection', async () => {
  const first = await choose('en-CA', (bank) => bank)
  const second = await choose('en-CA', () => null)
  expect([first.name, second.page.text.includes('There is a connection')]).toEqual([second.name, false])
})

it('the result page says so where the bank became known at the source only', async () => {
  const companyId = await harness.addCompany('Boulangerie du Plateau')
  await holdBank(harness, companyId, 'Caisse des Îles', 'plaid')
  const owner = new Owner(harness.origin)
  const widget = await owner.submit(await owner.agree(await harness.link('widget-source', companyId)))
  const done = await owner.submit(widget, { handle: 'handle-9' })
  expect(done.text).toContain('There is another connection to Caisse des Îles (Plaid, since')
})
