import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { startCatcher } from '../../src/mail/catcher.ts'
import { createSmtpTransport } from '../../src/mail/smtp-transport.ts'
import { Secret } from '../../src/model/values/secret.ts'
import { openForTests } from '../harness/for-tests.ts'

const catcher = openForTests(() => startCatcher({ port: 0, isExact: true }))
const post = openForTests(() => createSmtpTransport({ url: new Secret(catcher.url), from: 'no-reply@countinghouse.example' }))
const mail = (n: number, to = 'owner@example.com') => ({
  id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
  writtenAt: new Date('2026-11-20T12:00:00Z'),
  to: { address: to, name: 'Zoé' },
  fromName: 'Érable Lending',
  replyTo: null,
  subject: `Mail ${n} · été`,
  text: 'Voilà: https://data.example.com/connect?token=x',
  html: '<!doctype html><html lang="fr-CA"><head></head><body><p>Voilà</p></body></html>',
})

it('stores what it is sent, unchanged', async () => {
  expect(await post.send(mail(1))).toEqual({ result: 'sent' })
  const [caught] = catcher.list()
  expect(caught).toMatchObject({
    mailId: mail(1).id,
    from: 'Érable Lending <no-reply@countinghouse.example>',
    to: 'Zoé <owner@example.com>',
    subject: 'Mail 1 · été',
  })
  expect(caught?.text).toContain('Voilà: https://data.example.com/connect?token=x')
  expect(catcher.find(caught?.key ?? '')?.html).toContain('<p>Voilà</p>')
})

it('refuses every bounce@, so that a refusal can be seen', async () => {
  expect(await post.send(mail(2, 'bounce@example.com'))).toMatchObject({ result: 'refused', problem: expect.stringContaining('550') })
})

it('refuses a mail that is too large, and keeps running', async () => {
  expect(await post.send({ ...mail(3), text: 'x'.repeat(700_000) })).toMatchObject({ result: 'refused' })
  expect(await post.send(mail(4))).toEqual({ result: 'sent' })
})

it('survives clients that disconnect, or speak another protocol', async () => {
  for (const words of ['', 'GET / HTTP/1.1\r\n\r\n', 'EHLO x\r\nDATA\r\n', `EHLO ${'x'.repeat(100_000)}\r\n`]) {
    await new Promise<void>((gone) => {
      const socket = connect({ port: Number(new URL(catcher.url).port), host: '127.0.0.1' }, () => {
        socket.write(words)
        setImmediate(() => socket.destroy())
      })
      socket.on('close', () => gone())
      socket.on('error', () => undefined)
    })
  }
  expect(await post.send(mail(5))).toEqual({ result: 'sent' })
})

it('keeps the newest up to its limits', async () => {
  const small = await startCatcher({ port: 0, isExact: true, most: 2 })
  const smallPost = createSmtpTransport({ url: new Secret(small.url), from: 'no-reply@countinghouse.example' })
  for (const n of [11, 12, 13]) await smallPost.send(mail(n))
  expect(small.list().map(({ subject }) => subject)).toEqual(['Mail 13 · été', 'Mail 12 · été'])
  smallPost.close()
  await small.close()
})

it('uses the next free port unless one was given', async () => {
  const port = Number(new URL(catcher.url).port)
  await expect(startCatcher({ port, isExact: true })).rejects.toThrow('EADDRINUSE')
  const other = await startCatcher({ port, isExact: false })
  expect(Number(new URL(other.url).port)).toBeGreaterThan(port)
  await other.close()
})
