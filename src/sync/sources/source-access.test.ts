import { describe, expect, it } from 'vitest'
import type { Source } from '../../connectors/sources.ts'
import { closedBy } from './source-access.ts'

const source = (isEnabled: boolean): Source => ({ description: { key: 'books' }, isEnabled }) as Source
const access = (hidden: string[], keyed: string[]) => ({ hidden: new Set(hidden), keyed: new Set(keyed) })

describe('a source', () => {
  it.each<[boolean, string[], string[], 'hidden' | 'noKeys' | null]>([
    [true, [], [], null],
    [true, ['books'], ['books'], 'hidden'],
    [false, ['books'], [], 'hidden'],
    [false, [], ['books'], null],
    [false, [], ['other'], 'noKeys'],
    [true, ['other'], [], null],
    [false, ['other'], [], 'noKeys'],
  ])('enabled: %s, hidden: %j, with own keys: %j, is closed by %s', (isEnabled, hidden, keyed, expected) => {
    expect(closedBy(access(hidden, keyed), source(isEnabled))).toBe(expected)
  })
})
