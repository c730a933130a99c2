import { describe, expect, it } from 'vitest'
import { inTransaction } from '../../src/store/db/database.ts'
import { appendWaitingEvents } from '../../src/store/webhooks/event-feeds.ts'
import { browserNote, lacksBrowser } from '../harness/browser.ts'
import { openForTests } from '../harness/for-tests.ts'
import { raiseEvent } from '../webhooks/harness.ts'
import { openInProcessHarness } from './harness/in-process-harness.ts'

const CALLBACK = 'https://lender.example/events'
const WORDS = {
  'en-CA': { button: 'Resend events', resend: 'Resend', cancel: 'Cancel', none: 'No events to resend.' },
  'fr-CA': { button: 'Renvoyer des événements', resend: 'Renvoyer', cancel: 'Annuler', none: 'Aucun événement à renvoyer.' },
}
const CASES = [
  ['en-CA', 1, 'Resend 1 event?', '1 event is being resent.'],
  ['en-CA', 2, 'Resend 2 events?', '2 events are being resent.'],
  ['fr-CA', 1, 'Renvoyer 1 événement?', '1 événement est renvoyé.'],
  ['fr-CA', 2, 'Renvoyer 2 événements?', '2 événements sont renvoyés.'],
] as const

describe.skipIf(lacksBrowser)(`events are resent only after they were counted and confirmed${browserNote}`, () => {
  const harness = openForTests(openInProcessHarness)

  /** An endpoint that missed this many events of a kind that no other receives. */
  async function addEndpoint(missed: number): Promise<string> {
    const { database } = harness.api.deps
    const { rows } = await database.query<{ id: string }>(`delete from subscriptions where instance_id = $1 returning id`, [
      harness.api.instanceId,
    ])
    await database.query('delete from deliveries where subscription_id = any($1)', [rows.map(({ id }) => id)])
    await database.query('delete from events where instance_id = $1', [harness.api.instanceId])
    const context = await harness.visit({ isSignedIn: false })
    const login = await context.request.post(`${harness.origin}/admin/api/v1/auth/login`, {
      data: { email: harness.email, password: 'violet-harbour-teapot-91' },
    })
    const { access_token: token }: { access_token: string } = await login.json()
    const made = await context.request.post(`${harness.origin}/admin/api/v1/webhooks/subscriptions/NormalizedData`, {
      data: { callbackUrl: CALLBACK },
      headers: { authorization: `Bearer ${token}` },
    })
    const { id }: { id: string } = await made.json()
    await context.context().close()
    for (let index = 0; index < missed; index++) {
      await inTransaction(database, (db) => raiseEvent(db, harness.api.instanceId, 'NormalizedData'))
    }
    await inTransaction(database, (db) => appendWaitingEvents(db, harness.api.instanceId))
    await database.query(`update deliveries set status = 'failed', step = 10 where instance_id = $1`, [harness.api.instanceId])
    return id
  }

  const statuses = async (): Promise<string[]> => {
    const { rows } = await harness.api.deps.database.query<{ status: string }>('select status from deliveries where instance_id = $1', [
      harness.api.instanceId,
    ])
    return rows.map(({ status }) => status)
  }

  it.each(CASES)('in %s, %d', async (locale, missed, question, told) => {
    const words = WORDS[locale]
    const page = await harness.visit({ locale })
    await harness.go(page, `/webhooks/${await addEndpoint(missed)}`)
    await page.getByRole('button', { name: words.button, exact: true }).click()
    const dialog = page.getByRole('dialog', { name: question.replace(/(\d) /, '$1\u00a0') })
    expect(await dialog.innerText()).toContain(CALLBACK)
    await dialog.getByRole('button', { name: words.cancel }).click()
    expect(await statuses()).toEqual(Array.from({ length: missed }, () => 'failed'))
    await page.getByRole('button', { name: words.button, exact: true }).click()
    await dialog.getByRole('button', { name: words.resend }).click()
    await page.getByText(told.replace(/(\d) /, '$1\u00a0')).waitFor()
    expect(await statuses()).toEqual(Array.from({ length: missed }, () => 'pending'))
    await page.context().close()
  })

  it.each(['en-CA', 'fr-CA'] as const)('in %s, none: there is no prompt, and the page says so', async (locale) => {
    const page = await harness.visit({ locale })
    await harness.go(page, `/webhooks/${await addEndpoint(0)}`)
    await page.getByRole('button', { name: WORDS[locale].button, exact: true }).click()
    await page.getByText(WORDS[locale].none).waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.context().close()
  })
})
