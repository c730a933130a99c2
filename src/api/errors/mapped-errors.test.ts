import { expect, it } from 'vitest'
import { BadMailAddress, NoMailServer, TooManyMails } from '../../mail/queue.ts'
import { Conflict, InvalidCallbackUrl, UnknownEvent } from '../../webhooks/errors.ts'
import { toMailApiError } from './mail-errors.ts'
import { mapWebhookErrors } from './webhook-errors.ts'

const FAULT = new Error('a fault of ours')

it.each([
  [new Conflict('noWaitingSecret'), { status: 409, message: 'No new secret is waiting; rotate first.' }],
  [
    new InvalidCallbackUrl('callbackUrl has to begin with https://'),
    { status: 400, fields: [{ field: 'callbackUrl', message: 'has to begin with https://' }] },
  ],
  [new UnknownEvent(), { status: 404, message: expect.stringContaining('event') }],
])('%s of webhooks is told to the caller', async (error, told) => {
  await expect(mapWebhookErrors(Promise.reject(error))).rejects.toMatchObject(told)
})

it('any other error of webhooks stays as it is, and so does what succeeds', async () => {
  await expect(mapWebhookErrors(Promise.reject(FAULT))).rejects.toBe(FAULT)
  expect(await mapWebhookErrors(Promise.resolve(7))).toBe(7)
})

it.each([
  [new BadMailAddress(), { status: 400, fields: [{ field: 'email', message: 'is not an e-mail address that mail can be sent to' }] }],
  [new NoMailServer(), { status: 409, message: expect.stringContaining('SMTP_URL') }],
  [new TooManyMails(90), { status: 429, headers: { 'retry-after': '90' } }],
])('%s is told to the caller', (error, told) => {
  expect(toMailApiError(error, 'email')).toMatchObject(told)
})

it('a mail is sent to the field "to" where no other is named, and another error stays as it is', () => {
  expect(toMailApiError(new BadMailAddress())).toMatchObject({ fields: [{ field: 'to' }] })
  expect(toMailApiError(FAULT)).toBe(FAULT)
})
