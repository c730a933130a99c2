import { describe, expect, it } from 'vitest'
import { copiedLinkOf, handOffHarness, VALUES } from './kit/hand-off-harness.ts'

const harness = handOffHarness()

describe('an owner who has finished', () => {
  it('enters an address, and gets a receipt with the link to their own page', async () => {
    const { owner, step, companyId } = await harness().stand()
    const done = await owner.submit(step, VALUES)
    const kept = await owner.submit(done, { email: 'owner@example.com' })
    expect(kept.title).toBe('Receipt sent')
    await harness().mailed()
    const mail = harness().smtp.taken.at(-1)
    expect(mail?.recipients).toEqual(['owner@example.com'])
    expect(mail?.email.text).toMatch(/Given on: .*2\d{3}[\s\S]*connect\/yours\?token=[\w-]{43}/)
    const { rows } = await harness().connectHarness.deps.database.query('select locale from owner_addresses where company_id = $1', [
      companyId,
    ])
    expect(rows).toEqual([{ locale: 'en' }])
  })

  it('is asked again after an invalid address, and nothing is stored', async () => {
    const { owner, step, companyId } = await harness().stand()
    const again = await owner.submit(await owner.submit(step, VALUES), { email: 'owner@example.com\r\nBcc: x@example.com' })
    expect([again.status, again.text.includes('Enter an e-mail address')]).toEqual([422, true])
    const { rows } = await harness().connectHarness.deps.database.query('select 1 from owner_addresses where company_id = $1', [companyId])
    expect(rows).toEqual([])
  })

  it('gets no receipt for a permission that was withdrawn in the meantime', async () => {
    const { owner, step, companyId } = await harness().stand()
    const done = await owner.submit(step, VALUES)
    await harness().connectHarness.deps.database.query(
      `update consents set ended_at = given_at, ended_how = 'withdrawn' where company_id = $1`,
      [companyId],
    )
    const kept = await owner.submit(done, { email: 'late@example.com' })
    await harness().mailed()
    expect([kept.address.split('?')[0], harness().smtp.taken]).toEqual(['/connect/done', []])
  })

  it('removes the address again, and is not told that a message is on its way', async () => {
    const { owner, step, companyId } = await harness().stand()
    const done = await owner.submit(step, VALUES)
    await owner.submit(done, { email: 'owner@example.com' })
    const emptied = await owner.submit(done, { email: ' ' })
    const { rows } = await harness().connectHarness.deps.database.query('select 1 from owner_addresses where company_id = $1', [companyId])
    expect([emptied.address.split('?')[0], rows]).toEqual(['/connect/done', []])
  })

  it('cannot be represented by the accountant', async () => {
    const { owner, form, companyId } = await harness().stand()
    const { helper, step: helperStep } = await harness().helperAt(copiedLinkOf(await owner.submit(form, { choice: 'copy' })))
    const formToken = helperStep.hiddenFields().form ?? ''
    await helper.submit(helperStep, VALUES)
    const body = new URLSearchParams({ form: formToken, email: 'helper@example.com' })
    const answer = await helper.ask('/connect/reminders', { method: 'POST', body, headers: { 'sec-fetch-site': 'same-origin' } })
    const { rows } = await harness().connectHarness.deps.database.query('select 1 from owner_addresses where company_id = $1', [companyId])
    expect([answer.status, rows]).toEqual([404, []])
  })
})
