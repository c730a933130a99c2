import { describe, expect, it } from 'vitest'
import { type BankIdentity, UNKNOWN_BANK } from './bank-identity.ts'
import { groupByBank, type HeldBank } from './held-banks.ts'

const named = (...names: string[]): BankIdentity => ({ ...UNKNOWN_BANK, names })
const held = (connectionId: string, ...banks: BankIdentity[]): HeldBank => ({
  ...{ connectionId, serviceId: `s-${connectionId}`, serviceName: '', parentName: null, connectedAt: new Date(0) },
  banks,
})
const grouped = (...list: HeldBank[]) =>
  groupByBank(list).map(({ bank, connections }) => [bank, ...connections.map(({ connectionId }) => connectionId)])

describe('banks that a company has connected more than once', () => {
  it('are those of two connections, each with the first name of the first one', () => {
    expect(grouped(held('a', named('Harbor', 'HB')), held('b', named('Sea')), held('c', named('Harbor')))).toEqual([['Harbor', 'a', 'c']])
  })

  it('are in the order of their first connections', () => {
    const [harbor, sea] = [named('Harbor'), named('Sea')]
    expect(grouped(held('a', sea), held('b', harbor), held('c', harbor), held('d', sea))).toEqual([
      ['Sea', 'a', 'd'],
      ['Harbor', 'b', 'c'],
    ])
  })

  it('are not those whose names are only alike, or unknown', () => {
    expect(grouped(held('a', named('Harbor Valley')), held('b', named('Harbor Hill')))).toEqual([])
    expect(grouped(held('a', UNKNOWN_BANK), held('b', UNKNOWN_BANK), held('c'))).toEqual([])
  })

  it('name each connection once, though its files came from the bank twice', () => {
    expect(grouped(held('a', named('Harbor'), named('Harbor')), held('b', named('Sea')))).toEqual([])
    expect(grouped(held('a', named('Harbor'), named('Harbor')), held('b', named('Sea'), named('Harbor')))).toEqual([['Harbor', 'a', 'b']])
  })

  it('have no name where only their numbers are known', () => {
    const numbered = { ...UNKNOWN_BANK, routingNumbers: ['21000021'] }
    expect(grouped(held('a', numbered), held('b', numbered))).toEqual([['', 'a', 'b']])
  })
})
