import { describe, expect, it } from 'vitest'
import { copiedLinkOf, handOffHarness, VALUES } from './kit/hand-off-harness.ts'
import { Owner } from './kit/owner.ts'

const harness = handOffHarness()
const [CANCEL, AGAIN] = ['Cancel the link', 'Cancel it and send another']

const connections = async (companyId: string) =>
  (
    await harness().connectHarness.deps.database.query('select id from connections where company_id = $1 and entity_id is not null', [
      companyId,
    ])
  ).rows.length

describe('an owner whose accountant has the login', () => {
  it('sends the sign-in by e-mail; the accountant finishes, and the owner sees it', async () => {
    const { owner, form, companyId } = await harness().stand()
    const waiting = await owner.submit(form, { choice: 'send', name: 'Anna Roy', email: 'anna@example.com' })
    expect(waiting.title).toBe('Waiting for Anna Roy')
    const link = await harness().mailed()
    expect(harness().smtp.taken[0]?.email.subject).toBe('Boulangerie du Plateau asks you to sign in to Grand livre')
    const { helper, step } = await harness().helperAt(link)
    const done = await helper.submit(step, VALUES)
    expect(done.title).toBe('Thank you, it is connected')
    expect((await owner.get('/connect/hand-off')).title).toBe('You are connected')
    expect(await connections(companyId)).toBe(1)
  })

  it('copies the link, sees it only once, and it works', async () => {
    const { owner, form, companyId } = await harness().stand()
    const shown = await owner.submit(form, { choice: 'copy' })
    const link = copiedLinkOf(shown)
    expect(link).toMatch(/token=[\w-]{43}$/)
    expect((await owner.get('/connect/hand-off')).markup).not.toContain(new URL(link).searchParams.get('token'))
    const { helper, step } = await harness().helperAt(link)
    await helper.submit(step, VALUES)
    expect(await connections(companyId)).toBe(1)
  })

  it('keeps the consent: the ledger names the owner’s link, and the accountant gives none', async () => {
    const { owner, form, companyId } = await harness().stand()
    const { helper, step } = await harness().helperAt(copiedLinkOf(await owner.submit(form, { choice: 'copy' })))
    expect((await helper.get('/connect/consent')).title).not.toContain('asks to read')
    await helper.submit(step, VALUES)
    const { rows } = await harness().connectHarness.deps.database.query(
      `select l.parent_id, k.connection_id is not null as settled from consents k join links l on l.id = k.link_id where k.company_id = $1`,
      [companyId],
    )
    expect(rows).toEqual([{ parent_id: null, settled: true }])
  })

  it('sees the progress: sent, opened, declined, finally done', async () => {
    const { owner, form } = await harness().stand()
    const see = async () => {
      const { markup } = await owner.get('/connect/hand-off')
      return [/class="state ([^"]*)"/.exec(markup)?.[1], /value="again" class="quiet">([^<]*)</.exec(markup)?.[1]]
    }
    await owner.submit(form, { choice: 'send', name: '', email: 'anna@example.com' })
    expect(await see()).toEqual(['waiting posting', CANCEL])
    const link = await harness().mailed()
    expect(await see()).toEqual(['waiting posted', CANCEL])
    const helper = new Owner(harness().connectHarness.origin)
    const first = await helper.get(link)
    expect(await see()).toEqual(['waiting opened', CANCEL])
    const declined = await helper.submit(first, { choice: 'cannot' })
    expect(declined.title).toBe('Thank you for telling us')
    expect(await see()).toEqual(['bad declined', AGAIN])
    await helper.submit(await helper.get(declined.linkTo('after all')), { choice: 'go' })
    expect(await see()).toEqual(['waiting opened', CANCEL])
  })

  it('learns that the message cannot be delivered, and sends it elsewhere', async () => {
    const { owner, form } = await harness().stand()
    harness().smtp.refusals.push({ code: 550, text: 'no such user' })
    await owner.submit(form, { choice: 'send', name: '', email: 'nobody@example.com' })
    await harness().mailed()
    const waiting = await owner.get('/connect/hand-off')
    expect(waiting.text).toContain('could not be delivered')
    expect(waiting.text).toContain(AGAIN)
    const again = await owner.submit(waiting)
    expect(again.title).toBe('Ask someone else to sign in')
  })

  it('revokes the link: the accountant then sees the page of every invalid link', async () => {
    const { owner, form } = await harness().stand()
    const link = copiedLinkOf(await owner.submit(form, { choice: 'copy' }))
    const { helper, step } = await harness().helperAt(link)
    await owner.submit(await owner.get('/connect/hand-off'))
    const refused = await helper.submit(step, VALUES)
    expect([refused.status, (await new Owner(harness().connectHarness.origin).get(link)).title]).toEqual([
      403,
      'This link cannot be opened',
    ])
    const guessed = await new Owner(harness().connectHarness.origin).get(link.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')))
    expect(guessed.title).toBe('This link cannot be opened')
  })

  it('signs in personally after all: the forwarded link is used up with the owner’s own', async () => {
    const { owner, form, step, companyId } = await harness().stand()
    const link = copiedLinkOf(await owner.submit(form, { choice: 'copy' }))
    const { helper, step: helperStep } = await harness().helperAt(link)
    expect((await owner.submit(step, VALUES)).title).toBe('You are connected')
    expect((await helper.submit(helperStep, VALUES)).title).toBe('Thank you, it is connected')
    expect((await new Owner(harness().connectHarness.origin).get(link)).title).toBe('This link cannot be opened')
    expect(await connections(companyId)).toBe(1)
  })

  it('and accountant finishing at the same time make one connection', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { owner, form, step, companyId } = await harness().stand()
      const { helper, step: helperStep } = await harness().helperAt(copiedLinkOf(await owner.submit(form, { choice: 'copy' })))
      const [first, second] = await Promise.all([owner.submit(step, VALUES), helper.submit(helperStep, VALUES)])
      expect([first.status, second.status]).toEqual([200, 200])
      expect(await connections(companyId)).toBe(1)
    }
  })

  it('forwards the selected bank', async () => {
    const { owner } = await harness().stand('plaid')
    const banks = await owner.get('/connect/institutions?search=caisse')
    const step = await owner.get(banks.linkTo('aisse'))
    const form = await owner.get(step.linkTo('my accountant'))
    const { step: helperStep } = await harness().helperAt(copiedLinkOf(await owner.submit(form, { choice: 'copy' })))
    expect(helperStep.title).toBe(step.title)
  })

  it('pressing twice sends one message and makes one link', async () => {
    const { owner, form } = await harness().stand()
    const typed = { choice: 'send', name: '', email: 'twice@example.com' }
    await Promise.all([owner.submit(form, typed), owner.submit(form, typed)])
    await owner.submit(form, typed)
    await harness().mailed()
    expect(harness().smtp.taken.filter(({ recipients }) => recipients.includes('twice@example.com'))).toHaveLength(1)
  })

  it('corrects the address on the previous page: the message goes there too, and the first link ends', async () => {
    const { owner, form } = await harness().stand()
    await owner.submit(form, { choice: 'send', name: 'Anna', email: 'ana.wrong@example.com' })
    const first = await harness().mailed()
    await owner.submit(form, { choice: 'send', name: 'Anna', email: 'anna.right@example.com' })
    await harness().mailed()
    expect(harness().smtp.taken.at(-1)?.recipients).toEqual(['anna.right@example.com'])
    expect((await new Owner(harness().connectHarness.origin).get(first)).title).toBe('This link cannot be opened')
  })

  it('sends the form again after revoking the link, and is asked again', async () => {
    const { owner, form } = await harness().stand()
    const typed = { choice: 'send', name: 'Anna', email: 'anna.back@example.com' }
    await owner.submit(await owner.submit(form, typed))
    const again = await owner.submit(form, typed)
    expect([again.status, again.title]).toEqual([200, 'Ask someone else to sign in'])
    await harness().mailed()
  })

  it('reads the same in French', async () => {
    const { owner, form } = await harness().stand('form-source', 'fr-CA')
    expect(form.title).toBe('Demander à une autre personne d’ouvrir la session')
    const waiting = await owner.submit(form, { choice: 'send', name: 'Anna Roy', email: 'anna.fr@example.com' })
    expect(waiting.title).toBe('En attente de Anna Roy')
    await harness().mailed()
    expect(harness().smtp.taken[0]?.email.subject).toContain('vous demande de vous identifier')
  })
})

describe('a forwarded link', () => {
  it('cannot be forwarded again', async () => {
    const { owner, form } = await harness().stand()
    const { helper, step } = await harness().helperAt(copiedLinkOf(await owner.submit(form, { choice: 'copy' })))
    expect(step.markup).not.toContain('hand-off')
    expect((await helper.get('/connect/hand-off')).title).toBe(step.title)
  })

  it('ends with the link that it came from', async () => {
    const { owner, form, companyId } = await harness().stand()
    const link = copiedLinkOf(await owner.submit(form, { choice: 'copy' }))
    await harness().connectHarness.deps.database.query('update links set revoked_at = now() where company_id = $1 and parent_id is null', [
      companyId,
    ])
    expect((await new Owner(harness().connectHarness.origin).get(link)).title).toBe('This link cannot be opened')
  })

  it('expires with it too', async () => {
    const { owner, form, companyId } = await harness().stand()
    const link = copiedLinkOf(await owner.submit(form, { choice: 'copy' }))
    await harness().connectHarness.deps.database.query(`update links set expires_at = now() - interval '1 second' where company_id = $1`, [
      companyId,
    ])
    expect((await new Owner(harness().connectHarness.origin).get(link)).title).toBe('This link cannot be opened')
  })

  it('is not offered before the owner has agreed', async () => {
    const owner = new Owner(harness().connectHarness.origin)
    const consent = await owner.get(await harness().connectHarness.link('form-source'))
    expect((await owner.get('/connect/hand-off')).title).toBe(consent.title)
  })

  it('shows names with scripts and 10,000 characters as harmless text', async () => {
    const { owner, form } = await harness().stand()
    const name = `<script>alert(1)</script>\u202e${'x'.repeat(10_000)}`
    const waiting = await owner.submit(form, { choice: 'send', name, email: 'hostile@example.com' })
    expect(waiting.markup).not.toContain('<script>alert')
    await harness().mailed()
    expect(harness().smtp.taken[0]?.email.html).not.toContain('<script>')
  })

  it.each(['', 'anna', 'anna@example.com\r\nBcc: x@example.com'])(
    'refuses an address like %j, asks again and creates nothing',
    async (email) => {
      const { owner, form, companyId } = await harness().stand()
      const again = await owner.submit(form, { choice: 'send', name: 'Anna', email })
      expect([again.status, again.text.includes('Enter an e-mail address')]).toEqual([422, true])
      const { rows } = await harness().connectHarness.deps.database.query('select 1 from links where company_id = $1', [companyId])
      expect(rows).toHaveLength(1)
    },
  )
})

it('can still be copied without a mail server', async () => {
  const mail = harness().connectHarness.deps.mail
  delete harness().connectHarness.deps.mail
  try {
    const { owner, form } = await harness().stand()
    expect(form.markup).not.toContain('name="email"')
    expect(copiedLinkOf(await owner.submit(form, { choice: 'copy' }))).toMatch(/^http/)
  } finally {
    if (mail) harness().connectHarness.deps.mail = mail
  }
})
