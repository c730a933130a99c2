import { expect, it } from 'vitest'
import { RepeatedValues } from './repeated-values.ts'

it('gives the value of the bytes, and the same object while it is known', () => {
  const values = new RepeatedValues((text) => ({ text }))
  const read = (text: string) => {
    const bytes = Buffer.from(`--${text}--`)
    return values.read(bytes, 2, bytes.length - 2, 'text')
  }
  const texts = ['', 'CAD', 'USD', 'Épargne', '0.00', ...Array.from({ length: 5_000 }, (_, index) => `account ${index}`)]
  for (const text of [...texts, ...texts.toReversed()]) expect(read(text).text).toBe(text)
  expect(read('CAD')).toBe(read('CAD'))
})
