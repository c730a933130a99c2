import { describe, expect, it } from 'vitest'
import { isWholeApiKey, newApiKey } from './key-text.ts'

describe('the text of an API key', () => {
  it.each(['live', 'test'] as const)('is found by a pattern, and begins with what is shown: %s', (kind) => {
    const { text, prefix } = newApiKey(kind)
    expect(text).toMatch(/^ch_(live|test)_[0-9A-Za-z]{47}$/)
    expect([text.startsWith(prefix), prefix.length, isWholeApiKey(text)]).toEqual([true, `ch_${kind}_`.length + 8, true])
  })

  it('is another each time, and holds all digits', () => {
    const texts = Array.from({ length: 500 }, () => newApiKey('live').text)
    expect([new Set(texts).size, new Set(texts.join('').slice(8)).size]).toEqual([500, 63])
  })

  it('is told from every cut of it, from every one with a wrong character, and from a longer one', () => {
    const { text } = newApiKey('live')
    const cuts = Array.from({ length: text.length }, (_value, length) => text.slice(0, length))
    const ends = Array.from({ length: text.length }, (_value, length) => text.slice(length + 1))
    const typos = Array.from(text, (character, at) => `${text.slice(0, at)}${character === 'x' ? 'y' : 'x'}${text.slice(at + 1)}`)
    const swaps = Array.from(
      text.slice(1),
      (_character, at) => text.slice(0, at) + text.charAt(at + 1) + text.charAt(at) + text.slice(at + 2),
    )
    const others = [...cuts, ...ends, ...typos, ...swaps, `${text}0`, ` ${text}`, `${text}\n`]
    expect(others.filter((other) => other !== text && isWholeApiKey(other))).toEqual([])
  })
})
