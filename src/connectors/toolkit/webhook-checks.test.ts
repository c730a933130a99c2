import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { SourceError } from '../contract/contract.ts'
import { checkBase64Hmac, checkTimestampedHmac, webhookJson } from './webhook-checks.ts'

const KEY = 'a key of this test'
const BODY = Buffer.from('{"a":1}')
const TIME = 1_700_000_000

/** `passes`, or the kind of the error. */
function outcomeOf(check: () => void): string {
  try {
    check()
  } catch (error) {
    return error instanceof SourceError ? error.kind : String(error)
  }
  return 'passes'
}

const requestOf = (headers: Record<string, string>, body: Uint8Array = BODY) => ({ headers, body, query: {} })

describe('a signature in Base64', () => {
  const signatureWith = (key: string) => createHmac('sha256', key).update(BODY).digest('base64')

  it.each<[string, Record<string, string>, string | undefined, string]>([
    ['of the body with the key', { signed: signatureWith(KEY) }, KEY, 'passes'],
    ['with another key', { signed: signatureWith('another') }, KEY, 'reconnect'],
    ['in another header', { other: signatureWith(KEY) }, KEY, 'reconnect'],
    ['that is absent', {}, KEY, 'reconnect'],
    ['that is empty', { signed: '' }, KEY, 'reconnect'],
    ['while the operator has set no key', { signed: signatureWith(KEY) }, undefined, 'reconnect'],
    ['while the key is empty', { signed: signatureWith('') }, '', 'reconnect'],
  ])('%s', (_, headers, key, outcome) => {
    expect(outcomeOf(() => checkBase64Hmac(requestOf(headers), 'signed', key))).toBe(outcome)
  })

  it('of another body is refused', () => {
    expect(outcomeOf(() => checkBase64Hmac(requestOf({ signed: signatureWith(KEY) }, Buffer.from('{}')), 'signed', KEY))).toBe('reconnect')
  })
})

describe('a signature with a time', () => {
  const v1 = (key: string, time: number | string = TIME) => `v1=${createHmac('sha256', key).update(`${time}.`).update(BODY).digest('hex')}`
  const outcome = (header: string | undefined, { keys = [KEY], seconds = 0 }: { keys?: string[]; seconds?: number } = {}) =>
    outcomeOf(() =>
      checkTimestampedHmac(requestOf(header === undefined ? {} : { signed: header }), {
        ...{ header: 'signed', keys, now: new Date((TIME + seconds) * 1_000), toleranceSeconds: 300 },
      }),
    )

  it.each([
    ['of the time and the body', `t=${TIME},${v1(KEY)}`, 'passes'],
    ['with blanks', ` t=${TIME} , ${v1(KEY)} `, 'passes'],
    ['in any order', `${v1(KEY)},t=${TIME}`, 'passes'],
    ['among others', `t=${TIME},v0=x,${v1('another')},${v1(KEY)}`, 'passes'],
    ['as the twentieth', `t=${TIME},${'v1=x,'.repeat(19)}${v1(KEY)}`, 'passes'],
    ['behind twenty others', `t=${TIME},${'v1=x,'.repeat(20)}${v1(KEY)}`, 'reconnect'],
    ['with another key', `t=${TIME},${v1('another')}`, 'reconnect'],
    ['of another time', `t=${TIME + 1},${v1(KEY)}`, 'reconnect'],
    ['under another name', `t=${TIME},${v1(KEY).replace('v1=', 'v2=')}`, 'reconnect'],
    ['without a time', v1(KEY, ''), 'reconnect'],
    ['with a time that is no number', `t=now,${v1(KEY, 'now')}`, 'reconnect'],
    ['with a time that ends with a letter', `t=${TIME}x,${v1(KEY, `${TIME}x`)}`, 'reconnect'],
    ['with a time that begins with a letter', `t=x${TIME},${v1(KEY, `x${TIME}`)}`, 'reconnect'],
    ['with a time only', `t=${TIME}`, 'reconnect'],
    ['that is absent', undefined, 'reconnect'],
  ])('%s', (_, header, expected) => {
    expect(outcome(header)).toBe(expected)
  })

  it.each([
    [300, 'passes'],
    [-300, 'passes'],
    [301, 'reconnect'],
    [-301, 'reconnect'],
  ])('%s seconds after it was made', (seconds, expected) => {
    expect(outcome(`t=${TIME},${v1(KEY)}`, { seconds })).toBe(expected)
  })

  it.each([
    ['the second of two keys', ['another', KEY], 'passes'],
    ['a key with blanks around it', [` ${KEY} `], 'passes'],
    ['no key', [], 'reconnect'],
    ['blank keys', ['', ' '], 'reconnect'],
  ])('with %s', (_, keys, expected) => {
    expect(outcome(`t=${TIME},${v1(KEY)}`, { keys })).toBe(expected)
  })

  it('with the empty key, where the operator has set a blank one, is refused', () => {
    expect(outcome(`t=${TIME},${v1('')}`, { keys: [''] })).toBe('reconnect')
  })
})

it('the body of a webhook is JSON, or cannot be read', () => {
  expect(webhookJson(requestOf({}))).toEqual({ a: 1 })
  expect(outcomeOf(() => webhookJson(requestOf({}, Buffer.from('{'))))).toBe('badData')
})
