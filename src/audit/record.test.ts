import { describe, expect, it } from 'vitest'
import { toDifference } from './record.ts'

const COMPANY = {
  id: '1',
  name: 'Boulangerie',
  industry: '',
  country: 'CA',
  city: 'Laval',
  fullAddress: '1 rue A',
  companyContactNumber: '',
}

describe('the difference that an entry shows', () => {
  it('has the changed fields and no others', () => {
    expect(toDifference('company.changed', COMPANY, { ...COMPANY, city: 'Montréal' })).toEqual({
      before: { city: 'Laval' },
      after: { city: 'Montréal' },
    })
  })

  it('says of addresses and secrets only that they changed', () => {
    const changed = { ...COMPANY, fullAddress: '2 rue B', companyContactNumber: '555 0100' }
    expect(toDifference('company.changed', COMPANY, changed)).toEqual({ withheld: ['fullAddress', 'companyContactNumber'] })
  })

  it('leaves out what the catalogue does not name', () => {
    expect(toDifference('company.changed', COMPANY, { ...COMPANY, id: '2', note: 'x' })).toEqual({})
  })

  it('takes absent, null and empty for one', () => {
    expect(toDifference('company.changed', COMPANY, { ...COMPANY, industry: null })).toEqual({})
    expect(toDifference('company.created', null, { metadata: {} })).toEqual({})
    expect(toDifference('company.created', null, { metadata: { a: 'b' } })).toEqual({ withheld: ['metadata'] })
  })

  it('shows what was created or deleted on one side alone', () => {
    const shown = { name: 'Boulangerie', country: 'CA', city: 'Laval' }
    expect(toDifference('company.created', null, COMPANY)).toEqual({ after: shown, withheld: ['fullAddress'] })
    expect(toDifference('company.deleted', COMPANY, null)).toEqual({ before: shown, withheld: ['fullAddress'] })
  })

  it('cuts a long text', () => {
    const { after } = toDifference('company.changed', COMPANY, { ...COMPANY, name: 'x'.repeat(5_000) })
    expect(String(after?.name).length).toBeLessThan(400)
  })
})
