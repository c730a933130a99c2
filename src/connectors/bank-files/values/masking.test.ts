import { expect, it } from 'vitest'
import { maskText } from './masking.ts'

const IBAN = 'DE89370400440532013000'

it.each([
  [null, '12345678', null],
  ['', '12345678', null],
  [' \n ', '12345678', null],
  ['Rent May', '12345678', 'Rent May'],
  [' Rent', '1', 'Rent'],
  ['Rent ', '1', 'Rent'],
  ['Rent  May', '1', 'Rent May'],
  ['Rent\tMay', '1', 'Rent May'],
  ['Rent\u0000May', '1', 'Rent May'],
  ['Rent\u00a0May', '1', 'Rent May'],
  ['from 12345678 to 12345678', '12345678', 'from ••••5678 to ••••5678'],
  ['from 12345678', '1234 5678', 'from ••••5678'],
  ['from 1234 5678', '1234 5678', 'from ••••5678'],
  ['from 12345', '12345', 'from ••••2345'],
  ['from 1234', '1234', 'from 1234'],
  [`from ${IBAN} and ${IBAN}`, '', 'from ••••3000 and ••••3000'],
  ['NO9386011117947', '', '••••7947'],
  ['from DE88370400440532013000', '', 'from DE88370400440532013000'],
  [`from x${IBAN}`, '', `from x${IBAN}`],
  [`from ${IBAN}x`, '', `from ${IBAN}x`],
  ['GB82WEST12345698765432', '', '••••5432'],
  ['GB82WEST12345698765433', '', 'GB82WEST12345698765433'],
])('%j of the account %j shows %j', (text, number, expected) => {
  expect(maskText(text, number)).toBe(expected)
})
