import { readFileSync } from 'node:fs'
import type { Json } from '../../../src/model/values/json.ts'
import type { Answer } from './imitation.ts'

export const OWNER = { user: 'livres', password: 'imitated-password-livres' }

/** Recorded from hledger-web 1.25 of Debian; test/connectors/hledger tests the real one. */
const recorded = (name: string) => readFileSync(new URL(`../../../src/connectors/hledger/fixtures/${name}.json`, import.meta.url), 'utf8')

/** A hledger-web behind HTTP Basic with the recorded journal and a number of additional accounts. */
export function imitateHledger(moreAccounts: number): Answer {
  const names = JSON.parse(recorded('accountnames')) as Json[]
  const more = Array.from({ length: moreAccounts }, (_, index) => `dépenses:compte ${index}`)
  const answers: Record<string, string> = {
    '/version': '"1.25"',
    '/accountnames': JSON.stringify([...names, ...more]),
    '/accounts': recorded('accounts'),
    '/transactions': recorded('transactions'),
  }
  const expected = `Basic ${Buffer.from(`${OWNER.user}:${OWNER.password}`).toString('base64')}`
  return (request, _body, takeFault) => {
    if (takeFault('throttle')) return { status: 429, body: '', headers: { 'retry-after': '20' } }
    if (takeFault('forbidden')) return { status: 403, body: 'Forbidden' }
    if (request.headers.authorization !== expected || takeFault('revoked')) return { status: 401, body: 'Unauthorized' }
    const body = answers[request.url ?? '']
    return body === undefined ? { status: 404, body: '' } : { status: 200, body }
  }
}
