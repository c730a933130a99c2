import { v5 as uuidv5 } from 'uuid'
import { expect, it } from 'vitest'
import { toCallbackAddress } from './callback-address.ts'
import { CATEGORIES, CATEGORY_IDS, toChildServiceId, toRecordId, toServiceId } from './catalogue.ts'

const NAMESPACE = '5b1f7c1e-6d0a-4a55-9f2e-3b7f4c8a9d10'
const COMPANY = '0b0b0b0b-1111-4222-8333-444444444444'

it('ids of the catalogue are the same in every deployment, forever', () => {
  expect(CATEGORIES).toEqual(['Accounting', 'Banking'])
  for (const category of CATEGORIES) expect(CATEGORY_IDS[category]).toBe(uuidv5(`category/${category}`, NAMESPACE))
  for (const key of ['xero', 'plaid', 'xero']) expect(toServiceId(key)).toBe(uuidv5(`service/${key}`, NAMESPACE))
  expect(toChildServiceId(COMPANY, 'plaid', 'ins_1')).toBe(uuidv5(`child/${COMPANY}/plaid/ins_1`, NAMESPACE))
})

it('ids of records are UUIDs of version 5 of what identifies the record', () => {
  for (const origId of ['', 'a-1', 'é', '長'.repeat(400), 'x'.repeat(2_000), ...Array.from({ length: 64 }, (_, at) => `record ${at}`)]) {
    expect(toRecordId(COMPANY, 'service', 'Accounts', origId)).toBe(uuidv5(`record/${COMPANY}/service/Accounts/${origId}`, NAMESPACE))
  }
})

it('a redirect address names its source, unless all share it', () => {
  expect(toCallbackAddress('https://a.example', null)).toBe('https://a.example/connect/callback')
  expect(toCallbackAddress('https://a.example', 'bank-api a/b')).toBe('https://a.example/connect/callback/bank-api%20a%2Fb')
})
