import { describe, expect, it } from 'vitest'
import { findOutgoingHandOff } from '../../../src/sync/links/hand-off.ts'
import { copiedLinkOf, handOffHarness, VALUES } from '../kit/hand-off-harness.ts'
import { Owner } from '../kit/owner.ts'

const harness = handOffHarness()
const connect = () => harness().connectHarness
const COPY = { choice: 'copy' }

/** The hand-off of the company's link, as it is stored; null when there is none. */
async function handedOf(companyId: string) {
  const { database, sealer } = connect().deps
  const { rows } = await database.query<{ id: string }>('select id from links where company_id = $1 and parent_id is null', [companyId])
  return await findOutgoingHandOff(database, sealer, { instanceId: connect().instanceId, id: rows[0]?.id ?? '' })
}

/** Adds a bank to the directory of the source. */
async function addBank(id: string): Promise<void> {
  await connect().deps.database.query(
    `insert into institutions (connector_key, id, name, countries, routing_numbers, seen_at) values ('plaid', $1, 'Caisse', '{CA}', '{}', now())`,
    [id],
  )
}

describe('the form that hands a link off', () => {
  it.each([
    ['b'.repeat(200), true],
    ['b'.repeat(201), false],
  ])('takes the id of a bank of 200 characters at most: …%s', async (id, isTaken) => {
    await addBank(id)
    const { owner, form, companyId } = await harness().stand('plaid')
    expect((await owner.submit(form, { ...COPY, institution: id })).status).toBe(200)
    expect((await handedOf(companyId))?.institutionId).toBe(isTaken ? id : null)
    const page = await owner.get(`/connect/source?institution=${id}`)
    expect(page.title === 'Choose your bank').toBe(!isTaken)
  })

  it.each(['', 'nobody', 'a\0b'])('takes %j for no bank', async (institution) => {
    const { owner, form, companyId } = await harness().stand('plaid')
    expect((await owner.submit(form, { ...COPY, institution })).status).toBe(200)
    expect((await handedOf(companyId))?.institutionId).toBeNull()
    expect((await owner.get(`/connect/source?institution=${encodeURIComponent(institution)}`)).title).toBe('Choose your bank')
    expect(connect().faults).toEqual([])
  })

  it('keeps the name and the address without spaces around them, the name of 100 characters at most', async () => {
    const { owner, form, companyId } = await harness().stand()
    const typed = { choice: 'send', name: `  ${'n'.repeat(101)} `, email: '  anna@example.com ' }
    expect((await owner.submit(form, typed)).title).toContain('Waiting for nnn')
    expect((await handedOf(companyId))?.helper).toEqual({ name: 'n'.repeat(100), email: 'anna@example.com' })
  })

  it('sends a mail unless a copy is asked for, and a copy has no address', async () => {
    const { owner, form, companyId } = await harness().stand()
    await owner.submit(form, { email: 'anna@example.com' })
    expect((await handedOf(companyId))?.helper.email).toBe('anna@example.com')
    await owner.submit(form, { ...COPY, email: 'anna@example.com' })
    expect((await handedOf(companyId))?.helper).toEqual({ name: '', email: null })
  })

  it.each(['', 'once', undefined])('is refused with %j in place of its own id', async (once) => {
    const { owner, form, companyId } = await harness().stand()
    const fields = { ...form.hiddenFields(), ...COPY, ...(once === undefined ? {} : { once }) }
    if (once === undefined) Reflect.deleteProperty(fields, 'once')
    const answer = await owner.ask(form.formAction(), { method: 'POST', body: new URLSearchParams(fields) })
    expect([answer.status, await handedOf(companyId)]).toEqual([400, null])
  })

  it('says that a message cannot be sent where there is no mail server any more, and keeps what was typed', async () => {
    const { owner, form, companyId } = await harness().stand()
    const { mail } = connect().deps
    delete connect().deps.mail
    try {
      const page = await owner.submit(form, { choice: 'send', name: 'Anna Roy', email: 'anna@example.com' })
      expect([page.status, await handedOf(companyId)]).toEqual([409, null])
    } finally {
      if (mail) connect().deps.mail = mail
    }
  })

  it('says when too many messages were sent to an address, and creates nothing', async () => {
    const sendNext = async () => {
      const { owner, form, companyId } = await harness().stand()
      const page = await owner.submit(form, { choice: 'send', name: 'Anna Roy', email: 'often@example.com' })
      return [page.status, page.markup.includes('value="Anna Roy"'), await handedOf(companyId)]
    }
    for (let sent = 0; sent < 5; sent += 1) await sendNext()
    expect(await sendNext()).toEqual([429, true, null])
  })
})

describe('the pages of a hand-off', () => {
  it('ask for the link where none is open, and lead to the result of one that is used', async () => {
    const stranger = await new Owner(connect().origin).get('/connect/hand-off')
    expect([stranger.status, stranger.title]).toEqual([400, 'Please open your link again'])
    const { owner, step, companyId } = await harness().stand()
    await owner.submit(step, VALUES)
    const { rows } = await connect().deps.database.query<{ id: string }>('select id from connections where company_id = $1', [companyId])
    expect((await owner.ask('/connect/hand-off')).headers.get('location')).toBe(`/connect/done?connections=${rows[0]?.id}`)
    await connect().deps.database.query(`update links set completed_at = now() - interval '25 hours' where company_id = $1`, [companyId])
    expect((await owner.get('/connect/hand-off')).status).toBe(410)
  })

  it('are closed while the source is turned off', async () => {
    const { owner } = await harness().stand()
    connect().setEnabled('form-source', false)
    try {
      expect((await owner.get('/connect/hand-off')).status).toBe(503)
    } finally {
      connect().setEnabled('form-source', true)
    }
  })

  it('are closed to a helper, whose forms hand nothing off and cancel nothing', async () => {
    const { owner, form, companyId } = await harness().stand()
    const link = copiedLinkOf(await owner.submit(form, COPY))
    const { helper, step } = await harness().helperAt(link)
    const before = await handedOf(companyId)
    const fields = new URLSearchParams({ ...form.hiddenFields(), ...step.hiddenFields(), ...COPY })
    for (const path of ['/connect/hand-off', '/connect/hand-off/cancel']) {
      const answer = await helper.ask(path, { method: 'POST', body: fields })
      expect([answer.status, answer.headers.get('location'), (await handedOf(companyId))?.linkId]).toEqual([
        303,
        '/connect/source',
        before?.linkId,
      ])
    }
    const { rows } = await connect().deps.database.query('select 1 from links where company_id = $1', [companyId])
    expect(rows).toHaveLength(2)
  })

  it('are closed before the owner has agreed, to forms too', async () => {
    const companyId = await connect().addCompany('Café du Coin')
    const owner = new Owner(connect().origin)
    const consent = await owner.get(await connect().link('form-source', companyId))
    const fields = new URLSearchParams({ ...consent.hiddenFields(), once: crypto.randomUUID(), ...COPY })
    for (const path of ['/connect/hand-off', '/connect/hand-off/cancel']) {
      const answer = await owner.ask(path, { method: 'POST', body: fields })
      expect([answer.status, answer.headers.get('location'), await handedOf(companyId)]).toEqual([303, '/connect/consent', null])
    }
  })

  it('cancelled lead back to the form with the same bank', async () => {
    await addBank('ins_cancelled')
    const { owner, form, companyId } = await harness().stand('plaid')
    await owner.submit(form, { ...COPY, institution: 'ins_cancelled' })
    const page = await owner.submit(await owner.get('/connect/hand-off'))
    expect([page.address, await handedOf(companyId)]).toEqual(['/connect/hand-off?institution=ins_cancelled', null])
    const again = await owner.submit(page, COPY)
    expect([again.status, (await handedOf(companyId))?.institutionId]).toEqual([200, 'ins_cancelled'])
  })
})
