import { describe, expect, it } from 'vitest'
import { readDetails } from './details.ts'

const NOTHING = { text: null, counterparty: null, name: null, isStructured: false, kind: null }

describe('plain text', () => {
  it.each([
    ['Rent May', 'Rent May'],
    ['Rent\nMay', 'Rent May'],
    ['  Rent  ', 'Rent'],
    ['Rent /REMI/ is here', 'Rent /REMI/ is here'],
    ['/XXXX/no code', '/XXXX/no code'],
    ['166!00GUT', '166!00GUT'],
    ['16?00GUT', '16?00GUT'],
    ['166?0', '166?0'],
    ['a66?00GUT', 'a66?00GUT'],
    ['1a6?00GUT', '1a6?00GUT'],
    ['16a?00GUT', '16a?00GUT'],
    ['166?a0GUT', '166?a0GUT'],
    ['166?0aGUT', '166?0aGUT'],
    ['166:00GUT', '166:00GUT'],
  ])('%j', (field, text) => {
    expect(readDetails(field)).toEqual({ ...NOTHING, text })
  })

  it.each(['', '  ', '\n'])('of nothing is null: %j', (field) => {
    expect(readDetails(field)).toEqual(NOTHING)
  })
})

describe('subfields', () => {
  it.each(['?', '@', '/', '+'])('with the separator %s: kind, purpose, name', (separator) => {
    const field = '166?00GUTSCHRIFT?1099?20Rent?21 May?29!?30BANK?31ACCOUNT?32Ava ?33Stone?34999?60more?63 too'
    expect(readDetails(field.replaceAll('?', separator))).toEqual({
      text: 'Rent May!more too',
      counterparty: 'Ava Stone',
      name: 'Ava Stone',
      isStructured: false,
      kind: 'GUTSCHRIFT',
    })
  })

  it('outside of those of purpose, name and kind say nothing', () => {
    expect(readDetails('166?01a?19b?30c?31d?34e?59f?64g')).toEqual(NOTHING)
  })

  it('may break anywhere', () => {
    expect(readDetails('166?00GUT\nSCHRIFT?20Re\nnt?32Ava\n')).toMatchObject({ kind: 'GUTSCHRIFT', text: 'Rent', counterparty: 'Ava' })
  })

  it('that are blank are absent', () => {
    expect(readDetails('166?00 ?20 ?32 ')).toEqual(NOTHING)
  })
})

describe('slash codes', () => {
  it.each([
    ['/TRTP/SEPA/NAME/Ava Stone/REMI/Rent May/EREF/E-1', { kind: 'SEPA', name: 'Ava Stone', counterparty: 'Ava Stone', text: 'Rent May' }],
    ['/NAME/Ava\n Stone/RE\nMI/Rent', { name: 'Ava Stone', counterparty: 'Ava Stone', text: 'Rent' }],
    ['/REMI/USTD//Rent', { text: 'Rent' }],
    ['/REMI//Rent', { text: 'Rent' }],
    ['/USTD/Rent', { text: 'Rent' }],
    ['/EREF/E-1/NAME/Ava', { text: 'E-1', name: 'Ava', counterparty: 'Ava' }],
    ['/EREF/E-1/REMI/ ', { text: 'E-1' }],
    ['/REMI/First/REMI/Second', { text: 'First' }],
    ['/REMI/ /REMI/Second', { text: 'Second' }],
    ['/CNTP/NL01/BIC/Ava Stone/Town', {}],
    ['/CNTP/NL01//Ava Stone/Town', { counterparty: 'Ava Stone' }],
    ['/CNTP/NL01/ABNANL2A/Ava Stone/Town', { counterparty: 'Ava Stone' }],
    ['/CNTP/NL01/ABNANL2A/ /Town', {}],
    ['/CNTP/NL01', {}],
    ['/NAME/Ava/CNTP/NL01/ABNANL2A/Ben/Town', { name: 'Ava', counterparty: 'Ava' }],
    [' /ACCW/NL01', {}],
  ])('%j', (field, expected) => {
    expect(readDetails(field)).toEqual({ ...NOTHING, isStructured: true, ...expected })
  })
})
