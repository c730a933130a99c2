import { describe, expect, it } from 'vitest'
import { isOtherLogin, type KnownAccount, matchAccounts } from './account-matching.ts'

/** `1234/checking/Reserve` without a persistent id, `p1:1234/checking/Reserve` with one; empty: nameless. */
function known(...accounts: string[]): KnownAccount<string>[] {
  return accounts.map((text) => {
    const [, persistentId = null, mask = '', kind = '', name = ''] = /^(?:(\w+):)?(?:(\w+)\/(\w+)\/(\w+))?#?\d*$/.exec(text) ?? []
    const descriptions = mask === '' ? [] : [`${mask}/${kind}/${name}`, `${mask}/${kind}`]
    return { account: text, fingerprint: persistentId === null && mask === '' ? null : { persistentId, descriptions } }
  })
}

function match(before: string[], now: string[], ended: string[] = [], seen: string[] = []) {
  const sides = { before: known(...before), now: known(...now), ended: known(...ended), seen: known(...seen) }
  const { pairs, unclear, unclearEnded } = matchAccounts(sides)
  return { pairs: pairs.map((pair) => `${pair.before} is ${pair.now}`), unclear, unclearEnded }
}

const NOBODY = { unclear: [], unclearEnded: [] }

describe('accounts before and after a reconnect', () => {
  it('are paired by persistent ids before anything else', () => {
    expect(match(['p1:1/c/A', 'p2:1/c/A'], ['p2:1/c/A', 'p1:9/s/Z'])).toEqual({
      pairs: ['p1:1/c/A is p1:9/s/Z', 'p2:1/c/A is p2:1/c/A'],
      ...NOBODY,
    })
  })

  it('with different persistent ids are never one, however much they look alike', () => {
    expect(match(['p1:1/c/A'], ['p2:1/c/A'])).toEqual({ pairs: [], ...NOBODY })
  })

  it('are paired by what they look like when one of them has no persistent id', () => {
    expect(match(['p1:1/c/A'], ['1/c/A']).pairs).toEqual(['p1:1/c/A is 1/c/A'])
  })

  it('are paired in spite of another name where nothing else looks like them', () => {
    expect(match(['1/c/A', '2/c/B'], ['2/c/X', '1/c/Y']).pairs).toEqual(['1/c/A is 1/c/Y', '2/c/B is 2/c/X'])
  })

  it.each([
    ['two before, two now', ['1/c/A#1', '1/c/A#2'], ['1/c/A#3', '1/c/A#4'], ['1/c/A#1', '1/c/A#2']],
    ['two before, one now', ['1/c/A#1', '1/c/A#2'], ['1/c/A#3'], ['1/c/A#1', '1/c/A#2']],
    ['one before, two now', ['1/c/A#1'], ['1/c/A#3', '1/c/A#4'], ['1/c/A#1']],
    ['two of one kind that were both renamed', ['1/c/A', '1/c/B'], ['1/c/X', '1/c/Y'], ['1/c/A', '1/c/B']],
  ])('are not guessed at: %s', (_name, before, now, unclear) => {
    expect(match(before, now)).toEqual({ pairs: [], unclear, unclearEnded: [] })
  })

  it('that are left over when the others of their kind are known are not guessed at either', () => {
    expect(match(['1/c/A', '1/c/B'], ['1/c/A', '1/c/C'])).toEqual({ pairs: ['1/c/A is 1/c/A'], unclear: ['1/c/B'], unclearEnded: [] })
  })

  it('that simply went or came are nobody’s', () => {
    expect(match(['1/c/A', '2/c/B'], ['1/c/A', '3/s/C'])).toEqual({ pairs: ['1/c/A is 1/c/A'], ...NOBODY })
  })

  it('that had ended come back, by name rather than by likeness to a living one', () => {
    expect(match(['1/c/A'], ['1/c/B'], ['1/c/B']).pairs).toEqual(['1/c/B is 1/c/B'])
    expect(match(['1/c/A'], ['1/c/A', '2/s/B'], ['2/s/B']).pairs).toEqual(['1/c/A is 1/c/A', '2/s/B is 2/s/B'])
    expect(match([], ['p1:3/c/X'], ['p1:1/c/A']).pairs).toEqual(['p1:1/c/A is p1:3/c/X'])
  })

  it('do not come back as one that another account now looks like', () => {
    expect(match([], ['1/c/B'], ['1/c/A'], ['1/c/C']).pairs).toEqual([])
    expect(match([], ['1/c/A'], ['1/c/A'], ['1/c/A']).pairs).toEqual([])
    expect(match(['1/c/A'], ['1/c/A', '1/c/C'], ['1/c/B']).pairs).toEqual(['1/c/A is 1/c/A'])
    expect(match([], ['p2:1/c/B'], ['1/c/A'], ['p1:1/c/C']).pairs).toEqual(['1/c/A is p2:1/c/B'])
  })

  it('do not come back where several that had ended look alike', () => {
    expect(match([], ['1/c/A'], ['1/c/A#1', '1/c/A#2'])).toEqual({ pairs: [], unclear: [], unclearEnded: ['1/c/A#1', '1/c/A#2'] })
  })
})

describe('a login', () => {
  const isOther = (before: string[], now: string[], ended: string[] = []) => {
    const sides = { before: known(...before), now: known(...now), ended: known(...ended), seen: [] }
    return isOtherLogin(sides, matchAccounts(sides))
  }

  it('is another one when each account can be told and none is known', () => {
    expect(isOther(['1/c/A'], ['2/c/A', '3/c/B'])).toBe(true)
  })

  it.each([
    ['one account goes on', ['1/c/A'], ['1/c/Z', '3/c/B'], []],
    ['one account may go on', ['1/c/A#1', '1/c/A#2'], ['1/c/A'], []],
    ['one that had ended is back', ['1/c/A'], ['2/c/B'], ['2/c/B']],
    ['one account cannot be told from others', ['#1'], ['2/c/A'], []],
    ['it shows nothing', ['1/c/A'], [], []],
  ])('is not another one when %s', (_name, before, now, ended) => {
    expect(isOther(before, now, ended)).toBe(false)
  })
})
