import { describe, expect, it } from 'vitest'
import { scanMovement } from './movements.ts'

const REST = { valued: '260228', booked: null, type: null, customer: '', bank: '' }

describe('a line 61', () => {
  it('has two days, a mark, an amount, a type and two references', () => {
    expect(scanMovement('2602280301C1234,56NTRFINV-1//BANK-2')).toEqual({
      valued: '260228',
      booked: '0301',
      mark: 'C',
      amount: '1234,56',
      type: 'NTRF',
      customer: 'INV-1',
      bank: 'BANK-2',
    })
  })

  it.each([
    ['260228C1,', { mark: 'C', amount: '1,' }],
    ['260228D1.5', { mark: 'D', amount: '1.5' }],
    ['260228RC9,', { mark: 'RC', amount: '9,' }],
    ['260228RD9,', { mark: 'RD', amount: '9,' }],
    ['260228EC9,', { mark: 'EC', amount: '9,' }],
    ['260228ED9,', { mark: 'ED', amount: '9,' }],
    ['260228CR9,', { mark: 'C', amount: '9,' }],
    ['260228    D9,', { mark: 'D', amount: '9,' }],
    ['260228C9,S103', { mark: 'C', amount: '9,', type: 'S103' }],
    ['260228C9,NA0Z', { mark: 'C', amount: '9,', type: 'NA0Z' }],
    ['260228C9,ZZ9A', { mark: 'C', amount: '9,', type: 'ZZ9A' }],
    ['260228C9,NTR', { mark: 'C', amount: '9,', customer: 'NTR' }],
    ['260228C9,N-RF', { mark: 'C', amount: '9,', customer: 'N-RF' }],
    ['260228C9,NT-F', { mark: 'C', amount: '9,', customer: 'NT-F' }],
    ['260228C9,NTR-', { mark: 'C', amount: '9,', customer: 'NTR-' }],
    ['260228C9,ntrf', { mark: 'C', amount: '9,', customer: 'ntrf' }],
    ['260228C9,[TRF', { mark: 'C', amount: '9,', customer: '[TRF' }],
    ['260228C9,@TRF', { mark: 'C', amount: '9,', customer: '@TRF' }],
    ['260228C9,NTRF A //  B ', { mark: 'C', amount: '9,', type: 'NTRF', customer: 'A', bank: 'B' }],
    ['260228C9,NTRF//B//C', { mark: 'C', amount: '9,', type: 'NTRF', bank: 'B' }],
    ['260228C9,NTRF//', { mark: 'C', amount: '9,', type: 'NTRF' }],
  ])('%s', (line, expected) => {
    expect(scanMovement(line)).toEqual({ ...REST, ...expected })
  })

  it('has at most 20 characters of amount and 200 of references', () => {
    expect(scanMovement(`260228C${'1'.repeat(22)}`)).toMatchObject({ amount: '1'.repeat(20), customer: '11' })
    expect(scanMovement(`260228C1,NTRF${'A'.repeat(201)}`)?.customer).toBe('A'.repeat(200))
    expect(scanMovement(`260228C1,NTRF${'A'.repeat(198)}//BC`)).toMatchObject({ customer: 'A'.repeat(198), bank: '' })
    expect(scanMovement(`260228C1,NTRF${'A'.repeat(200)}//BC`)).toMatchObject({ customer: 'A'.repeat(200), bank: '' })
    expect(scanMovement(`260228C1,NTRF${'A'.repeat(196)}//BCDE`)).toMatchObject({ customer: 'A'.repeat(196), bank: 'BC' })
  })

  it.each([
    ['with too few digits of a day', '26022C1,'],
    ['with seven digits', '2602280C1,'],
    ['with too many digits', '26022803011C1,'],
    ['with two blanks in place of a day', '260228  C1,'],
    ['with blanks behind both days', '2602280301    C1,'],
    ['without a mark', '2602281,'],
    ['with another mark', '260228X1,'],
    ['with a reversal of nothing', '260228R1,'],
    ['with a reversal of another mark', '260228RX1,'],
    ['without an amount', '260228C'],
    ['with a decimal sign first', '260228C,5'],
    ['with two letters of funds', '260228CAB1,'],
    ['with a small letter of funds', '260228Cr1,'],
    ['that is empty', ''],
  ])('%s is none', (_, line) => {
    expect(scanMovement(line)).toBeNull()
  })
})
