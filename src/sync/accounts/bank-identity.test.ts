import { describe, expect, it } from 'vitest'
import { type BankIdentity, compareBanks, isBankNumber, toPlainNumber, toSite, UNKNOWN_BANK } from './bank-identity.ts'

const bank = (known: Partial<BankIdentity>): BankIdentity => ({ ...UNKNOWN_BANK, ...known })
const named = (...names: string[]): BankIdentity => bank({ names })

describe('two banks', () => {
  it.each([
    ['with a number in common', bank({ routingNumbers: ['1', '021-000 021'] }), bank({ routingNumbers: ['21000021'] }), 'same'],
    ['with a BIC in common', bank({ routingNumbers: ['deutdeff'] }), bank({ routingNumbers: ['DEUTDEFF'] }), 'same'],
    ['with numbers of nothing', bank({ routingNumbers: ['000'] }), bank({ routingNumbers: ['-'] }), 'unknown'],
    ['with other numbers', bank({ routingNumbers: ['021000021'] }), bank({ routingNumbers: ['021000022'] }), 'unknown'],
    ['with a website in common', bank({ site: 'a.example' }), bank({ site: 'a.example' }), 'same'],
    ['with other websites', bank({ site: 'a.example' }), bank({ site: 'b.example' }), 'unknown'],
    ['of which nothing is known', UNKNOWN_BANK, UNKNOWN_BANK, 'unknown'],
    ['of which one is known', named('Harbor Bank'), UNKNOWN_BANK, 'unknown'],
    ['with the same name', named('Harbor Bank'), named('Harbor Bank'), 'same'],
    ['with the same name in the other language', named('Banque Royale'), named('Royal Bank of Canada'), 'same'],
    ['with a short name', named('BMO'), named('Bank of Montreal'), 'same'],
    ['with a short name of two words', named('TD Bank'), named('Toronto-Dominion'), 'same'],
    ['with legal forms', named('Harbor Bank, N.A.'), named('Harbor Bank Inc'), 'same'],
    ['with the same words in another order', named('Vieux Port Caisse'), named('Caisse du Vieux-Port'), 'same'],
    ['with a word in common', named('Harbor Valley'), named('Harbor Hill'), 'alike'],
    ['with common words in common', named('First National Bank'), named('First Community Bank'), 'apart'],
    ['with common words only', named('First National Bank'), named('National First Bank'), 'same'],
    ['with nothing in common', named('Harbor'), named('Valley'), 'apart'],
    ['with a name of legal forms', named('Inc'), named('Harbor'), 'unknown'],
    ['one of whose names is the same', named('Valley', 'Harbor'), named('Harbor', 'Hill'), 'same'],
    ['one of whose names is alike', named('Valley', 'Harbor Hill'), named('Harbor', 'Sea'), 'alike'],
  ] as const)('%s', (_, one, other, likeness) => {
    expect(compareBanks(one, other)).toBe(likeness)
    expect(compareBanks(other, one)).toBe(likeness)
  })
})

it.each([
  ['021000021', true],
  ['02100002', true],
  ['0210002', false],
  ['0210000210', false],
  ['x021000021', false],
  ['DEUTDEFF', true],
  ['DEUTDEFF500', true],
  ['DEUTDEFF50', false],
  ['DEUTDEFF5000', false],
  ['DEUTDEF', false],
  ['xDEUTDEFF', false],
  ['Harbor Bank', false],
])('%s: is it the number of a bank?', (text, expected) => {
  expect(isBankNumber(text)).toBe(expected)
})

it('numbers and websites are compared without what is written differently', () => {
  expect(['00-12 ab', '100', '000', ''].map(toPlainNumber)).toEqual(['12AB', '100', '', ''])
  expect(['https://www.a.example/x', 'https://a.example', 'https://wwww.a.example', 'no address', null].map(toSite)).toEqual([
    ...['a.example', 'a.example', 'wwww.a.example', null, null],
  ])
})
